import type { FastifyInstance } from 'fastify';
import packageFile from '../../../package.json' with { type: 'json' };

/** Whether the service is there, and which one it is. */
export function healthRoutes(app: FastifyInstance): void {
  app.get('/health', () => ({ status: 'ok', timestamp: new Date().toISOString(), service: 'darkroom' }));
  app.get('/api/version', () => ({ version: packageFile.version }));
}
