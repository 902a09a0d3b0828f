import { z } from 'zod';
import { LONGEST_EXPIRES_IN, MAX_RATE_WINDOW, PERMISSIONS, SHORTEST_EXPIRES_IN } from '../../auth/api-key.ts';
import { ENVIRONMENT_ID } from '../../auth/first-key.ts';
import type { Keyring } from '../../auth/keyring.ts';
import { notFound } from '../../errors.ts';
import { quote } from '../../path.ts';
import { wholeNumber } from '../bodies/query-forms.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';

const MAX_NAME_LENGTH = 100;
/** Default length of the list; `limit` and `offset` return the rest. */
const MAX_LISTED = 1000;

const name = z.string().trim().min(1).max(MAX_NAME_LENGTH);
const permissions = z.array(z.enum(PERMISSIONS)).readonly();
const time = z.iso.datetime();
const remaining = z.number().int().min(0).nullable().describe('Total requests left; null for no quota.');
const rateLimit = z
  .object({
    max: z.number().int().min(1).describe('Requests per window.'),
    window: z.number().int().min(1).max(MAX_RATE_WINDOW).describe('Seconds, from the first request of a window.'),
  })
  .nullable()
  .describe('Null for no rate limit.');

/** Imported keys have windows of any length. */
const shownRateLimit = z
  .object({ max: z.number().int(), window: z.number().describe('Seconds.') })
  .nullable()
  .describe('Null for no rate limit.');

const createBody = z
  .object({
    name: name.optional(),
    expiresIn: z
      .number()
      .int()
      .min(SHORTEST_EXPIRES_IN)
      .max(LONGEST_EXPIRES_IN)
      .optional()
      .describe('Seconds: 1 to 3650 days. Default: 365 days.'),
    permissions: z.array(z.enum(PERMISSIONS)).min(1).optional(),
    remaining: remaining.optional(),
    rateLimit: rateLimit.optional(),
  })
  .nullish();

const updateBody = z
  .object({
    name: name.optional(),
    enabled: z.boolean().optional(),
    remaining: remaining.optional(),
    rateLimit: rateLimit.optional(),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    error: 'expected "name", "enabled", "remaining" or "rateLimit", received none of them',
  });

const listQuery = z.object({
  limit: wholeNumber(1, MAX_LISTED).default(MAX_LISTED),
  offset: wholeNumber(0).default(0),
});

const keyParams = z.object({ keyId: z.string() });

const apiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    start: z.string().describe('The first characters of the key.'),
    prefix: z.string().nullable(),
    enabled: z.boolean(),
    permissions,
    expiresAt: time.nullable(),
    createdAt: time,
    updatedAt: time,
    lastUsedAt: time.nullable().describe('To the minute; null before the first use.'),
    remaining,
    rateLimitEnabled: z.boolean(),
    rateLimit: shownRateLimit,
  })
  .meta({ id: 'ApiKey' });

const created = z.object({
  success: z.boolean(),
  apiKey: z.object({
    id: z.string(),
    key: z.string().describe('The key itself, returned only in this response.'),
    name: z.string(),
    start: z.string(),
    prefix: z.string().nullable(),
    permissions,
    createdAt: time,
    expiresAt: time.nullable(),
    remaining,
    rateLimit: shownRateLimit,
  }),
  message: z.string(),
});
const list = z.object({ success: z.boolean(), keys: z.array(apiKey) });
const updated = z.object({ success: z.boolean(), key: apiKey, message: z.string() });
const deleted = z.object({ success: z.boolean(), message: z.string() });

/** The next start enables the environment's key, or creates it again: see `storeEnvironmentKey`. */
const NEXT_START = 'The next start makes it good again while API_KEY is set.';
const ENVIRONMENT =
  'The key with the id `environment` is good again after the next start while the setting `API_KEY` is set.';

const tag = 'API keys';
/** Responses are for this client only, so no cache may store them. */
const access = { access: 'admin', noStore: true } as const;

/** Endpoints that create, list, change and revoke API keys. */
export function apiKeyRoutes({ services: { keyring, config } }: RouteContext): readonly Endpoint[] {
  return [...allKeys(keyring), ...oneKey(keyring, config.auth.firstKey !== undefined)];
}

function allKeys(keyring: Keyring): readonly Endpoint[] {
  const create = defineEndpoint('POST /api-keys/create', {
    ...access,
    openapi: { id: 'createApiKey', tag, summary: 'Creates a key.', errors: [503] },
    schemas: { body: createBody, response: { 200: created } },
    async handle({ body }) {
      const made = await keyring.create({
        name: body?.name,
        expiresInSeconds: body?.expiresIn,
        permissions: body?.permissions,
        remaining: body?.remaining,
        rateLimit: body?.rateLimit,
      });
      const { id, key, name, start, prefix, permissions, createdAt, expiresAt, remaining, rateLimit } = made;
      return {
        success: true,
        apiKey: { id, key, name, start, prefix, permissions, createdAt, expiresAt, remaining, rateLimit },
        message: 'API key created. It is shown only this once.',
      };
    },
  });

  const listAll = defineEndpoint('GET /api-keys/list', {
    ...access,
    openapi: { id: 'listApiKeys', tag, summary: 'Lists the keys.' },
    schemas: { query: listQuery, response: { 200: list } },
    handle: async ({ query }) => ({ success: true, keys: await keyring.list(query) }),
  });

  return [create, listAll];
}

/** @param isKept true if `API_KEY` is set, which every start stores again */
function oneKey(keyring: Keyring, isKept: boolean): readonly Endpoint[] {
  const update = defineEndpoint('PATCH /api-keys/:keyId', {
    ...access,
    openapi: {
      id: 'updateApiKey',
      tag,
      summary: 'Changes the name, the state or the limits of a key.',
      description: ENVIRONMENT,
      errors: [404, 503],
    },
    schemas: { params: keyParams, body: updateBody, response: { 200: updated } },
    async handle({ params, body }) {
      const key = await keyring.update(params.keyId, body);
      if (!key) throw unknownKey(params.keyId);
      const isBack = isKept && params.keyId === ENVIRONMENT_ID && body.enabled === false;
      return { success: true, key, message: `API key updated.${isBack ? ` ${NEXT_START}` : ''}` };
    },
  });

  const revoke = defineEndpoint('DELETE /api-keys/:keyId', {
    ...access,
    openapi: { id: 'deleteApiKey', tag, summary: 'Revokes a key.', description: ENVIRONMENT, errors: [404, 503] },
    schemas: { params: keyParams, response: { 200: deleted } },
    async handle({ params }) {
      if (!(await keyring.remove(params.keyId))) throw unknownKey(params.keyId);
      const isBack = isKept && params.keyId === ENVIRONMENT_ID;
      return { success: true, message: `API key revoked.${isBack ? ` ${NEXT_START}` : ''}` };
    },
  });

  return [update, revoke];
}

function unknownKey(id: string) {
  return notFound(`There is no API key with the id ${quote(id)}.`, 'api_key_not_found');
}
