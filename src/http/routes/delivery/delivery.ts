import { admitDelivery } from '../../admission/delivery-mode.ts';
import { defineEndpoint, type Endpoint, type Operation, type RouteContext } from '../../endpoints/endpoint.ts';
import { raw } from '../../problem.ts';
import { deliverAndSend } from './answer.ts';

/** Conditional requests and ranges. */
const STATUSES = [200, 206, 304];
const ERRORS = [401, 403, 404, 412, 416, 503, 507];
const SIGNED = '/authenticated/s--{signature}/';
const EXPIRING = '/authenticated/s--{signature}--{expires}/';

/**
 * `GET /t/{transformations}/{path}` and `GET /authenticated/s--{sig}/{transformations}/{path}`: originals and variants.
 */
export function deliveryRoutes(context: RouteContext): readonly Endpoint[] {
  const { services, countRefusal } = context;
  const handle = raw(async (request, reply) => {
    const permit = await admitDelivery(request, reply, services, countRefusal);
    await deliverAndSend(permit, request, reply.raw, context);
  });
  return [
    defineEndpoint('GET /t/*', {
      access: 'public',
      limit: 'public',
      openapi: operations('get', '', '/t/', ERRORS),
      handle,
    }),
    defineEndpoint('GET /authenticated/*', {
      access: 'signed',
      openapi: [
        ...operations('getSigned', ' by a signed URL', SIGNED, [...ERRORS, 500]),
        ...operations('getExpiring', ' by a signed URL that ends', EXPIRING, [...ERRORS, 500]),
      ],
      handle,
    }),
  ];
}

function operations(id: string, how: string, start: string, errors: readonly number[]): Operation[] {
  const shared = { tag: 'Delivery', media: ['*/*'] } as const;
  return [
    {
      ...shared,
      id: `${id}Variant`,
      summary: `Delivers a variant of a file${how}.`,
      path: `${start}{transformations}/{path}`,
      statuses: [...STATUSES, 202],
      errors: [...errors, 422],
    },
    {
      ...shared,
      id: `${id}Original`,
      summary: `Delivers an original${how}.`,
      path: `${start}{path}`,
      statuses: STATUSES,
      errors,
    },
  ];
}
