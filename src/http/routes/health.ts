import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import packageFile from '../../../package.json' with { type: 'json' };
import { readDatabaseHealth } from '../../db/health.ts';
import type { Services } from '../../services.ts';
import { requirePermission } from '../admission/guards.ts';
import { withSchemas } from '../bodies/bodies.ts';
import type { Metrics } from '../observe/metrics.ts';
import { CHECKS, createReadiness } from '../observe/readiness.ts';

const count = z.number().int();
const database = z.object({
  connected: z.boolean(),
  path: z.string(),
  size: z.string().optional(),
  permissions: z.string().optional(),
  tables: z.object({ user: count, session: count, account: count, verification: count, apiKey: count }).optional(),
  warning: z.string().optional(),
  security_warning: z.string().optional(),
  file_error: z.string().optional(),
  table_error: z.string().optional(),
});
const time = z.iso.datetime();
const health = z.object({ status: z.literal('ok'), timestamp: time, service: z.literal('darkroom') });
const databaseHealth = z.object({ status: z.literal('ok'), timestamp: time, database });
const databaseFailure = z.object({ status: z.literal('error'), error: z.string(), timestamp: time, database });
const checks = z.record(z.enum(CHECKS), z.string()).describe('"ok", what is wrong, or "unknown".');
const checked = { checks, checkedAt: time.nullable().describe('Null when nothing is known of the checks.') };
const ready = z.object({ status: z.literal('ready'), ...checked });
const notReady = z.object({ error: z.string(), message: z.string(), ...checked });
const alive = z.object({ status: z.literal('ok') });
const version = z.object({ version: z.string() });

/** Whether the service is there, which one it is, and how it is. */
export function healthRoutes(app: FastifyInstance, services: Services, metrics: Metrics): void {
  const { database, config } = services;
  const readReadiness = createReadiness(services, () => app.server.listening);
  const onRequest = requirePermission(services, 'admin');
  app.register(async (plain) => {
    const scope = withSchemas(plain);
    // How something is now is not how it will be.
    scope.addHook('onRequest', async (_request, reply) => void reply.header('Cache-Control', 'no-store'));
    scope.get('/health', { schema: { response: { 200: health } } }, async () => ({
      status: 'ok' as const,
      timestamp: new Date().toISOString(),
      service: 'darkroom' as const,
    }));
    scope.get('/api/version', { schema: { response: { 200: version } } }, async () => ({
      version: packageFile.version,
    }));
    scope.get('/livez', { schema: { response: { 200: alive } } }, async () => ({ status: 'ok' as const }));

    const readiness = { response: { 200: ready, 503: notReady } };
    scope.get('/readyz', { schema: readiness }, async (_request, reply) => {
      const { complaint, checks, checkedAt } = readReadiness();
      const found = { checks, checkedAt: checkedAt?.toISOString() ?? null };
      if (complaint === undefined) return { status: 'ready' as const, ...found };
      return reply.code(503).send({ error: 'Not ready', message: `${complaint}.`, ...found });
    });

    const inFull = { onRequest, schema: { response: { 200: databaseHealth, 503: databaseFailure } } };
    scope.get('/health/database', inFull, async (_request, reply) => {
      const found = await readDatabaseHealth({ database, file: config.data.database });
      const timestamp = new Date().toISOString();
      if (found.connected) return { status: 'ok' as const, timestamp, database: found };
      const error = 'Database connection failed';
      return reply.code(503).send({ status: 'error' as const, error, timestamp, database: found });
    });
  });
  app.get('/metrics', { onRequest }, async (_request, reply) =>
    reply
      .type(metrics.contentType)
      .header('Cache-Control', 'no-store')
      .send(await metrics.text()),
  );
}
