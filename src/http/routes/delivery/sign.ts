import { z } from 'zod';
import { signDeliveryUrl } from '../../../delivery/signed-url.ts';
import { writeDeliveryUrl } from '../../../delivery/url.ts';
import { MAX_TEXT_LENGTH, parsePath } from '../../../path.ts';
import { MAX_TRANSFORMATION_BYTES } from '../../../transformation/limits.ts';
import { requireSecret } from '../../bodies/presigned.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../../endpoints/endpoint.ts';

/** Ten years. */
const MAX_EXPIRES_IN = 3650 * 24 * 60 * 60;

// Without these fields, URLs last for ever and deliver the original: none may be misspelt.
const signBody = z.strictObject({
  path: z.string().min(1).max(MAX_TEXT_LENGTH),
  transformation: z
    .string()
    .min(1)
    .max(MAX_TRANSFORMATION_BYTES)
    .optional()
    .describe('Or n_<name> for a preset; the original if absent.'),
  expiresIn: z
    .number()
    .int()
    .min(1)
    .max(MAX_EXPIRES_IN)
    .optional()
    .describe('Seconds; the URL does not expire if absent.'),
});
const signed = z.object({
  url: z.string().describe('Begins with PUBLIC_URL; with "/authenticated/" if that is not set.'),
  expires: z.number().int().optional().describe('Unix second at which the URL expires.'),
});

/** `POST /delivery/sign`: signs the URL of a file or variant, which need not exist yet. */
export function signRoutes({ services: { config } }: RouteContext): readonly Endpoint[] {
  return [
    defineEndpoint('POST /delivery/sign', {
      access: 'read',
      noStore: true,
      openapi: { id: 'signDeliveryUrl', tag: 'Delivery', summary: 'Signs a URL for delivery.', errors: [500] },
      schemas: { body: signBody, response: { 200: signed } },
      handle({ body: { path, transformation, expiresIn } }) {
        const secret = requireSecret(config.auth.secret);
        const expires = expiresIn === undefined ? undefined : Math.floor(Date.now() / 1000) + expiresIn;
        const raw = writeDeliveryUrl(parsePath(path), transformation, config.limits);
        const url = signDeliveryUrl(raw, { secret, limits: config.limits, expires });
        return { url: config.http.linkBase + url, ...(expires !== undefined && { expires }) };
      },
    }),
  ];
}
