import { z } from 'zod';
import { quote } from '../../../path.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../../endpoints/endpoint.ts';
import { rawPath, requirePath } from '../../transport/raw-path.ts';

const invalidated = z.object({
  success: z.boolean(),
  message: z.string(),
  details: z.object({
    localCacheFilesDeleted: z.number().int().min(0),
    cloudCacheFilesDeleted: z.number().int().min(0),
    errors: z.array(z.string()).optional(),
  }),
});

/** `DELETE /invalidate/{path}`: invalidates the variants of a file, or of all files in a folder. */
export function invalidateRoutes({ services: { library } }: RouteContext): readonly Endpoint[] {
  return [
    defineEndpoint('DELETE /invalidate/*', {
      alsoAt: ['/invalidate'],
      access: 'manage',
      audit: 'cache.cleared',
      outcome: (request) => ({ target: requirePath(rawPath(request)) }),
      openapi: {
        id: 'invalidateVariants',
        tag: 'Storage',
        summary: 'Clears the variants of a file or folder.',
        errors: [503],
      },
      schemas: { response: { 200: invalidated } },
      async handle(request) {
        const path = requirePath(rawPath(request));
        const { localCacheFilesDeleted, cloudCacheFilesDeleted, errors } = await library.invalidate(path);
        return {
          success: true,
          message: `Cleared the cached variants of ${quote(path)}.`,
          details: { localCacheFilesDeleted, cloudCacheFilesDeleted, ...(errors.length > 0 && { errors }) },
        };
      },
    }),
  ];
}
