import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../../errors.ts';
import { ACTIVITY_DAYS } from '../../usage/activity.ts';
import { wholeNumber } from '../bodies/query-forms.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';
import { STEP_SECONDS } from '../observe/history.ts';

const HOUR_SECONDS = 3600;

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
  renderP50Ms: count.nullable().describe('Median of render times, to within a tenth; null without renders.'),
  renderP95Ms: count.nullable().describe('p95 of render times, to within a tenth; null without renders.'),
  queued: count.describe('Renders that waited at the end of the step.'),
  rss: count.describe('Bytes of memory of the process at the end of the step.'),
  jobs: count.nullable().describe('Waiting and running jobs of all nodes; null if the database did not respond.'),
});
const activityQuery = z.object({
  days: wholeNumber(1, ACTIVITY_DAYS).default(ACTIVITY_DAYS).describe('Number of days, at most 30.'),
});
const hour = sample.pick({ requests: true, hits: true, misses: true, bytesSent: true, renders: true }).extend({
  at: z.iso.datetime().describe('The beginning of the hour.'),
  renderP50Ms: count.nullable().describe('Median of render times, to within a fifth; null without renders.'),
  renderP95Ms: count.nullable(),
});
const refusal = z.object({
  code: z.string(),
  status: count,
  meaning: z.string().describe('Meaning of the code, as Markdown.'),
  count,
});
const activityAnswer = z.object({
  stepSeconds: count,
  samples: z.array(hour).describe('The oldest first.'),
  refusals: z.array(refusal).describe('Responses with an error by its code, the most frequent first.'),
});
const answer = z.object({ stepSeconds: count, samples: z.array(sample).describe('The oldest first.') });

/** `GET /stats/history`, `GET /stats/activity`: this node over the last day, all nodes over the last month. */
export function historyRoutes({ history, activity }: RouteContext): readonly Endpoint[] {
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
          samples: samples.map(({ at, renderP50Ms = null, renderP95Ms = null, jobs = null, ...rest }) => ({
            ...rest,
            at: at.toISOString(),
            renderP50Ms,
            renderP95Ms,
            jobs,
          })),
        };
      },
      close: () => history().close(),
    }),
    defineEndpoint('GET /stats/activity', {
      access: 'admin',
      isForInstallation: true,
      noStore: true,
      openapi: {
        id: 'getActivity',
        tag: 'Health',
        summary: 'Figures of all nodes by hour, and what was refused.',
        errors: [503],
      },
      schemas: { query: activityQuery, response: { 200: activityAnswer } },
      async handle({ query }) {
        const { hours, errors } = await activity().read(query.days);
        return {
          stepSeconds: HOUR_SECONDS,
          samples: hours.map(({ at, renderP50Ms = null, renderP95Ms = null, ...rest }) => ({
            ...rest,
            at: at.toISOString(),
            renderP50Ms,
            renderP95Ms,
          })),
          refusals: errors.flatMap(refusalOf),
        };
      },
    }),
  ];
}

/** A newer version may have stored codes that this one does not know. */
function refusalOf({ code, count: times }: { code: string; count: number }) {
  const known = Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode] : undefined;
  return known ? [{ code, status: known.status, meaning: known.meaning, count: times }] : [];
}
