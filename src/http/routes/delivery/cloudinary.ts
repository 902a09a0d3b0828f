import { admitForeign, admitNames } from '../../admission/delivery-mode.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../../endpoints/endpoint.ts';
import { raw } from '../../problem.ts';
import { deliverForeign, FOREIGN_OPERATION } from './foreign.ts';

const KINDS = [
  { kind: 'image', id: 'getCloudinaryImage', what: 'an image' },
  { kind: 'video', id: 'getCloudinaryVideo', what: 'a video' },
  { kind: 'raw', id: 'getCloudinaryRaw', what: 'a file' },
] as const;

const DESCRIPTION =
  'The same behind the name of a cloud: `/demo/image/upload/...`. Ignored parts of the transformation are listed in ' +
  '`Darkroom-Ignored`, what is only similar in `Darkroom-Approximate`.';

/** Serves Cloudinary's delivery URLs, with `COMPAT=cloudinary`. */
export function cloudinaryRoutes(context: RouteContext): readonly Endpoint[] {
  const { config, compat } = context.services;
  if (!config.compat.cloudinary) return [];
  const handle = raw(async (request, reply) => {
    // A name is completed by what is stored: nobody learns of files that they may not have.
    const files = await admitNames(request, reply, context.services);
    const meaning = await compat.cloudinary.read(
      request.raw.url ?? '',
      files && ((path) => files.admit(path, 'variant')),
    );
    await deliverForeign({ service: 'Cloudinary', meaning, admit: admitForeign }, request, reply, context);
  });
  return KINDS.map(({ kind, id, what }) => {
    const short = kind === 'image' ? ['/iu/*', '/:cloud/iu/*'] : [];
    return defineEndpoint(`GET /${kind}/*`, {
      // Refuse other sources than uploads by name.
      alsoAt: [`/:cloud/${kind}/*`, ...short],
      access: 'public',
      limit: 'public',
      openapi: {
        ...FOREIGN_OPERATION,
        id,
        path: `/${kind}/upload/{path}`,
        summary: `Delivers ${what} by a URL of Cloudinary.`,
        description: DESCRIPTION,
      },
      handle,
    });
  });
}
