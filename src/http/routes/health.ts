import { z } from 'zod';
import packageFile from '../../../package.json' with { type: 'json' };
import { LATE, within } from '../../concurrency.ts';
import { readDatabaseHealth } from '../../db/health.ts';
import type { Services } from '../../library-services.ts';
import { ROOT } from '../../path.ts';
import { hasPermission } from '../admission/guards.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Check, ReadReadiness } from '../observe/readiness.ts';
import { errorCode } from '../problem.ts';

const count = z.number().int();
const database = z.object({
  connected: z.boolean(),
  path: z.string(),
  size: z.string().optional(),
  permissions: z.string().optional(),
  version: z.string().optional(),
  connections: count.optional(),
  tables: z.object({ user: count, session: count, account: count, verification: count, apiKey: count }).optional(),
  warning: z.string().optional(),
  security_warning: z.string().optional(),
  file_error: z.string().optional(),
  table_error: z.string().optional(),
});
const time = z.iso.datetime();
const catalog = z.object({
  state: z.enum(['indexing', 'ready']).describe('While it is indexing, listings come from the storage.'),
  files: count.describe('Number of originals indexed so far.'),
});
const health = z.object({
  status: z.literal('ok'),
  timestamp: time,
  service: z.literal('darkroom'),
  catalog: catalog
    .optional()
    .describe(
      'Absent while the database does not respond and, with DELIVERY_MODE=signed, without the permission "read".',
    ),
});
const databaseHealth = z.object({ status: z.literal('ok'), timestamp: time, database });
const databaseFailure = z.object({
  status: z.literal('error'),
  error: z.string(),
  code: errorCode,
  timestamp: time,
  database,
});
const state = z.string().describe('"ok", a reason, or "unknown".');
const checks = z.object({ database: state, storage: state, render: state } satisfies Record<Check, z.ZodString>);
const checked = { checks, checkedAt: time.nullable().describe('Null if no check has run.') };
const ready = z.object({ status: z.literal('ready'), ...checked });
const notReady = z.object({ error: z.string(), code: errorCode, message: z.string(), ...checked });
const alive = z.object({ status: z.literal('ok') });
const version = z.object({ version: z.string() });

const tag = 'Health';
/** Health must not be cached. */
const noStore = true;

/** Health, liveness and readiness. */
export function healthRoutes({ services, readReadiness, metrics }: RouteContext): readonly Endpoint[] {
  return [
    healthEndpoint(services),
    databaseEndpoint(services),
    getLiveness,
    readinessEndpoint(readReadiness),
    metricsEndpoint(metrics),
    getVersion,
  ];
}

function healthEndpoint(services: Services): Endpoint {
  const isPrivate = services.config.http.deliveryMode === 'signed';
  return defineEndpoint('GET /health', {
    access: 'public',
    limit: 'public',
    isDelivery: false,
    noStore,
    openapi: {
      id: 'getHealth',
      tag,
      summary: 'Health of the service.',
      description: 'In a space, `catalog` has the number of its files.',
    },
    schemas: { response: { 200: health } },
    async handle(request, reply) {
      const mayCount = !isPrivate || (await hasPermission(request, reply, services, 'read'));
      return {
        status: 'ok' as const,
        timestamp: new Date().toISOString(),
        service: 'darkroom' as const,
        catalog: mayCount ? await catalogState(services) : undefined,
      };
    },
  });
}

/** Limit, in ms, that the number of files is waited for: an answer about health does not depend on the database. */
const COUNT_MS = 1000;

/** Returns the state of the index, and the number of files in it; undefined while the database does not respond. */
async function catalogState({ sync, catalog: { usage } }: Services) {
  const progress = sync.progress();
  if (!progress) return undefined;
  try {
    const total = await within(usage.total(ROOT), COUNT_MS);
    return total === LATE ? undefined : { ...progress, files: total.fileCount };
  } catch {
    return undefined;
  }
}

const getLiveness = defineEndpoint('GET /livez', {
  access: 'public',
  noStore,
  openapi: { id: 'getLiveness', tag, summary: 'Liveness of the process.' },
  schemas: { response: { 200: alive } },
  handle: () => ({ status: 'ok' as const }),
});

const getVersion = defineEndpoint('GET /api/version', {
  access: 'public',
  noStore,
  openapi: { id: 'getVersion', tag, summary: 'Version of the service.' },
  schemas: { response: { 200: version } },
  handle: () => ({ version: packageFile.version }),
});

function databaseEndpoint({ database }: Services): Endpoint {
  return defineEndpoint('GET /health/database', {
    access: 'admin',
    isForInstallation: true,
    limit: 'public',
    noStore,
    openapi: { id: 'getDatabaseHealth', tag, summary: 'Health of the database.' },
    schemas: { response: { 200: databaseHealth, 503: databaseFailure } },
    async handle(_request, reply) {
      const found = await readDatabaseHealth(database);
      const timestamp = new Date().toISOString();
      await database.file.check();
      const reason = database.file.problem;
      if (found.connected && reason === undefined) return { status: 'ok' as const, timestamp, database: found };
      const error = found.connected ? `${reason}.` : 'Database connection failed';
      const problem = { error, code: 'database_unavailable' as const };
      return reply.code(503).send({ status: 'error' as const, ...problem, timestamp, database: found });
    },
  });
}

function readinessEndpoint(readReadiness: ReadReadiness): Endpoint {
  return defineEndpoint('GET /readyz', {
    access: 'public',
    noStore,
    openapi: {
      id: 'getReadiness',
      tag,
      summary: 'Readiness for requests, with the state of dependencies.',
    },
    schemas: { response: { 200: ready, 503: notReady } },
    async handle(_request, reply) {
      const { problem, checks, checkedAt } = readReadiness();
      const found = { checks, checkedAt: checkedAt?.toISOString() ?? null };
      if (problem === undefined) return { status: 'ready' as const, ...found };
      return reply.code(503).send({ error: 'Not ready', code: 'not_ready' as const, message: `${problem}.`, ...found });
    },
  });
}

function metricsEndpoint(metrics: () => Metrics): Endpoint {
  return defineEndpoint('GET /metrics', {
    access: 'admin',
    isForInstallation: true,
    noStore,
    openapi: { id: 'getMetrics', tag, summary: 'Metrics for Prometheus.', media: ['text/plain'] },
    handle: async (_request, reply) => reply.type(metrics().contentType).send(await metrics().text()),
  });
}
