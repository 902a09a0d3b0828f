import { z } from 'zod';
import { PERMISSIONS } from '../../auth/api-key.ts';
import { ROLES } from '../../auth/roles.ts';
import { HttpProblem } from '../../errors.ts';
import { type Caller, findCaller } from '../admission/caller.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';

const access = z.object({
  space: z
    .object({ id: z.string(), name: z.string().describe('The id for callers who may not enter.') })
    .nullable()
    .describe('Null for the library.'),
  via: z.enum(['key', 'session']).nullable().describe('Null without valid credentials.'),
  role: z.enum(ROLES).nullable().describe('Null for keys, and for people without a role here.'),
  permissions: z.array(z.enum(PERMISSIONS)).readonly(),
  canSign: z
    .boolean()
    .describe(
      'True if the caller can sign URLs: it has the permission `read`, and there is a secret: `API_SECRET`, or that of the space.',
    ),
});

/** `GET /access`: the rights of the caller. */
export function accessRoutes({ services }: RouteContext): readonly Endpoint[] {
  const getAccess = defineEndpoint('GET /access', {
    access: 'public',
    noStore: true,
    openapi: {
      id: 'getAccess',
      tag: 'People',
      summary: 'Role and permissions of the caller.',
      description: 'Answers everyone. Invalid credentials are treated as none.',
      errors: [429, 503],
    },
    schemas: { response: { 200: access } },
    async handle(request, reply) {
      const caller = await findCaller(request, reply, services).catch(noneIfInvalid);
      const { within } = request;
      // Others know the id, which is in the URL, or the host.
      const mayEnter = caller?.type === 'key' || caller?.role !== undefined;
      const space = within ? { id: within.space.id, name: mayEnter ? within.space.name : within.space.id } : null;
      const permissions = caller?.permissions ?? [];
      const canSign = permissions.includes('read') && services.config.auth.secret !== undefined;
      return { space, via: viaOf(caller), role: caller?.role ?? null, permissions, canSign };
    },
  });
  return [getAccess];
}

function viaOf(caller: Caller | undefined): 'key' | 'session' | null {
  if (caller === undefined) return null;
  return caller.type === 'key' ? 'key' : 'session';
}

function noneIfInvalid(error: unknown): undefined {
  if (error instanceof HttpProblem && error.status === 401) return undefined;
  throw error;
}
