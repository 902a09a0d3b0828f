import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { quote } from '../../path.ts';
import type { Services } from '../../services.ts';
import { requirePermission } from '../admission/guards.ts';
import { withSchemas } from '../bodies/bodies.ts';
import { rawPath, requirePath } from '../transport/raw-path.ts';

const invalidated = z.object({
  success: z.boolean(),
  message: z.string(),
  details: z.object({
    localCacheFilesDeleted: z.number().int().min(0),
    cloudCacheFilesDeleted: z.number().int().min(0),
    errors: z.array(z.string()).optional(),
  }),
});

/** `DELETE /invalidate/{path}`: forgets the variants of a file, or of all files in a folder. */
export function invalidateRoutes(app: FastifyInstance, services: Services): void {
  app.register(async (plain) => {
    const schema = { response: { 200: invalidated } };
    const options = { onRequest: requirePermission(services, 'manage'), schema };
    const scope = withSchemas(plain);
    for (const url of ['/invalidate', '/invalidate/*']) {
      scope.delete(url, options, async (request) => {
        const path = requirePath(rawPath(request));
        const { localCacheFilesDeleted, cloudCacheFilesDeleted, errors } = await services.library.invalidate(path);
        return {
          success: true,
          message: `Cleared the cached variants of ${quote(path)}.`,
          details: { localCacheFilesDeleted, cloudCacheFilesDeleted, ...(errors.length > 0 && { errors }) },
        };
      });
    }
  });
}
