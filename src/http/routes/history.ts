import { z } from 'zod';
import { wholeNumber } from '../bodies/query-forms.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';
import { STEP_SECONDS } from '../observe/history.ts';

const count = z.number().int().min(0);
const historyQuery = z.object({
  minutes: wholeNumber(1, 24 * 60)
    .default(60)
    .describe('Length of the period in minutes, at most a day.'),
});
const sample = z.object({
  at: z.iso.datetime().describe('The end of the step.'),
  requests: count.describe('Responses in the step, like all fields up to `renders`.'),
  hits: count.describe('Cache hits.'),
  misses: count.describe('Cache misses.'),
  bytesSent: count,
  renders: count,
  renderP95Ms: count.nullable().describe('p95 of render times, to within a tenth; null without renders.'),
  queued: count.describe('Renders that waited at the end of the step.'),
  rss: count.describe('Bytes of memory of the process at the end of the step.'),
  jobs: count.nullable().describe('Waiting and running jobs of all nodes; null if the database did not respond.'),
});
const answer = z.object({ stepSeconds: count, samples: z.array(sample).describe('The oldest first.') });

/** `GET /stats/history`: figures of this node over the last day. */
export function historyRoutes({ history }: RouteContext): readonly Endpoint[] {
  return [
    defineEndpoint('GET /stats/history', {
      access: 'admin',
      isForInstallation: true,
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
