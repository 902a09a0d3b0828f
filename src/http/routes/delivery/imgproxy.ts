import { isSignedForImgproxy } from '../../../auth/signature.ts';
import { notFound, unsigned } from '../../../errors.ts';
import { admitForeign, admitSignedForeign } from '../../admission/delivery-mode.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../../endpoints/endpoint.ts';
import { raw } from '../../problem.ts';
import { deliverForeign, FOREIGN_OPERATION } from './foreign.ts';

/** Signature of 32 bytes, or one of the keywords for unsigned URLs. Other URLs are not imgproxy's. */
const SIGNATURE = '[\\w-]{43}|insecure|unsafe|_';

/** Serves imgproxy's URLs, with `COMPAT=imgproxy`. */
export function imgproxyRoutes(context: RouteContext): readonly Endpoint[] {
  const { config, compat } = context.services;
  const { imgproxy } = config.compat;
  if (!imgproxy) return [];
  const handle = raw(async (request, reply) => {
    const [path = ''] = (request.raw.url ?? '').split('?', 1);
    const slash = path.indexOf('/', 1);
    const signature = path.slice(1, slash);
    const rest = path.slice(slash);
    if (imgproxy.keys.length > 0 && !isSignedForImgproxy(rest, signature, imgproxy.keys)) {
      throw unsigned('The signature is not valid for this URL.', 'wrong_signature');
    }
    const meaning = await compat.imgproxy.read(rest);
    const { expires } = meaning.kind === 'meant' ? meaning : {};
    if (expires !== undefined && expires * 1000 <= Date.now()) throw notFound('The URL has expired.', 'file_not_found');
    const admit = imgproxy.keys.length > 0 ? admitSignedForeign : admitForeign;
    await deliverForeign({ service: 'imgproxy', meaning, expires, admit }, request, reply, context);
  });
  return [
    defineEndpoint(`GET /:signature(${SIGNATURE})/*`, {
      access: 'public',
      limit: 'public',
      openapi: {
        ...FOREIGN_OPERATION,
        id: 'getImgproxyPicture',
        path: '/{imgproxySignature}/{options}/plain/{source}',
        summary: 'Delivers an image by a URL of imgproxy.',
        description:
          'Encoded source URLs are accepted too. Ignored parts are listed in `Darkroom-Ignored`, approximations in ' +
          '`Darkroom-Approximate`.',
      },
      handle,
    }),
  ];
}
