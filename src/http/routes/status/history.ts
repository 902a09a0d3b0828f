import { z } from 'zod';
import { wholeNumber } from '../../bodies/query-forms.ts';
import type { RouteContext } from '../../endpoints/context.ts';
import { defineEndpoint, type Endpoint } from '../../endpoints/endpoint.ts';
import { STEP_SECONDS } from '../../observe/history.ts';

const count = z.number().int().min(0);
const historyQuery = z.object({
  minutes: wholeNumber(1, 24 * 60)
    .default(60)
    .describe('Minutes back, at most a day.'),
});
const sample = z.object({
  at: z.iso.datetime().describe('The end of the step.'),
  requests: count.describe('Answered in the step, as all that follows up to `renders`.'),
  hits: count.describe('Variants that were there.'),
  misses: count.describe('Variants that had to be made.'),
  bytesSent: count,
  renders: count,
  renderP95Ms: count.nullable().describe('95 of 100 renders took no longer, to within a tenth; null without renders.'),
  queued: count.describe('Renders that waited at the end of the step.'),
  rss: count.describe('Bytes of memory of the process at the end of the step.'),
  jobs: count.nullable().describe('Jobs of all machines that waited or ran; null when the database did not say.'),
});
const answer = z.object({ stepSeconds: count, samples: z.array(sample).describe('The oldest first.') });

/** `GET /stats/history`: figures of this node over the last day. */
export function historyRoutes({ history }: RouteContext): readonly Endpoint[] {
  return [
    defineEndpoint('GET /stats/history', {
      access: 'admin',
      noStore: true,
      openapi: { id: 'getHistory', tag: 'Health', summary: 'Figures of this node for the last minutes.' },
      schemas: { query: historyQuery, response: { 200: answer } },
      handle({ query }) {
        const samples = history().last(query.minutes);
        return {
          stepSeconds: STEP_SECONDS,
          samples: samples.map(({ at, renderP95Ms = null, jobs = null, ...rest }) => ({
            ...rest,
            at: at.toISOString(),
            renderP95Ms,
            jobs,
          })),
        };
      },
      close: () => history().close(),
    }),
  ];
}
