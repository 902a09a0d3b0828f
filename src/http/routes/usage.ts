import { z } from 'zod';
import { badRequest } from '../../errors.ts';
import type { UsageCounts } from '../../usage/usage-counter.ts';
import { dayOf } from '../../usage/usage-meter.ts';
import { requireOwnSpace, spaceOf } from '../admission/space.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 400;

const day = z.iso.date();
const count = z.number().int().min(0);
const seconds = z.number().min(0);
const counts = z.object({
  requests: count.describe('Without probes and the dashboard.'),
  deliveredBytes: count.describe('Bytes of files in responses.'),
  uploadedBytes: count,
  renders: count,
  renderSeconds: seconds.describe('CPU time of renders.'),
  transcodeSeconds: seconds.describe('Duration of transcodes.'),
});

const row = counts.extend({
  day: day.optional(),
  space: z.string().optional().describe('Empty for the installation.'),
  key: z.string().optional().describe('Id of an API key; empty for all other clients.'),
  storedBytes: count
    .nullable()
    .optional()
    .describe('Of days only: originals, versions and the trash; null if unknown.'),
});

const limit = count.nullable().describe('Null for no limit.');
const answer = z
  .object({
    space: z.string().describe('Empty for the installation.'),
    from: day,
    to: day,
    rows: z.array(row),
    total: counts.extend({ storedBytes: count }),
    quota: z.object({
      bytes: limit,
      usedBytes: count,
      transferPerMonth: limit,
      usedTransfer: count.describe('Bytes delivered in this month (UTC).'),
    }),
  })
  .meta({ id: 'Usage' });

const query = z.object({
  from: day.optional().describe(`First day, in UTC. Default: ${DEFAULT_DAYS} days up to the last one.`),
  to: day.optional().describe('Last day, in UTC. Default: today.'),
  by: z.enum(['day', 'space', 'key']).default('day'),
  space: z
    .string()
    .max(40)
    .optional()
    .describe('Only of this space; in a space only its own exists. In the library, all by default.'),
});

/** `GET /usage`: what was requested, delivered, uploaded, rendered and stored. */
export function usageRoutes({ services: { usage, spaces } }: RouteContext): readonly Endpoint[] {
  return [
    defineEndpoint('GET /usage', {
      access: 'admin',
      noStore: true,
      openapi: { id: 'readUsage', tag: 'Audit', summary: 'Usage by day, space or API key.', errors: [404, 503] },
      schemas: { query, response: { 200: answer } },
      async handle(request) {
        const { by, space: requested, ...days } = request.query;
        requireOwnSpace(request, requested);
        const space = requested ?? spaceOf(request);
        const quota = spaces.find(space)?.rules.quota;
        const { from, to } = rangeOf(days);
        const { rows, total, storedBytes, monthBytes } = await usage.read(by, { space, from, to });
        return {
          space,
          from,
          to,
          rows: rows.map((sum) => ({
            [by]: sum.name,
            ...shown(sum),
            ...(by === 'day' && { storedBytes: sum.storedBytes }),
          })),
          total: { ...shown(total), storedBytes: total.storedBytes },
          quota: {
            bytes: quota?.bytes ?? null,
            usedBytes: storedBytes,
            transferPerMonth: quota?.transferPerMonth ?? null,
            usedTransfer: monthBytes,
          },
        };
      },
    }),
  ];
}

/** @throws HttpProblem 400 */
function rangeOf({ from: first, to: last }: { from?: string | undefined; to?: string | undefined }) {
  const to = last ?? dayOf(Date.now());
  const from = first ?? dayOf(Date.parse(to) - (DEFAULT_DAYS - 1) * DAY_MS);
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1) throw badRequest(`In "from": expected a day up to ${to}, received ${from}.`, 'validation_failed');
  if (days > MAX_DAYS)
    throw badRequest(
      `In "from": expected at most ${MAX_DAYS} days up to ${to}, received ${days}.`,
      'validation_failed',
    );
  return { from, to };
}

function shown({ requests, deliveredBytes, uploadedBytes, renders, renderMs, transcodeMs }: UsageCounts) {
  return {
    requests,
    deliveredBytes,
    uploadedBytes,
    renders,
    renderSeconds: renderMs / 1000,
    transcodeSeconds: transcodeMs / 1000,
  };
}
