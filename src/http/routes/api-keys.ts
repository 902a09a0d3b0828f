import { z } from 'zod';
import {
  type ApiKey,
  LONGEST_EXPIRES_IN,
  MAX_RATE_WINDOW,
  PERMISSIONS,
  type RateLimit,
  SHORTEST_EXPIRES_IN,
} from '../../auth/api-key.ts';
import { ENVIRONMENT_ID } from '../../auth/first-key.ts';
import type { SpaceKeyring } from '../../auth/keyring.ts';
import { notFound } from '../../errors.ts';
import { quote } from '../../path.ts';
import { wholeNumber } from '../bodies/query-forms.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';
import { type AuditTrail, changedFields } from '../observe/audit-trail.ts';

const MAX_NAME_LENGTH = 100;
const MAX_SPACE_LENGTH = 40;
/** Default length of the list; `limit` and `offset` return the rest. */
const MAX_LISTED = 1000;

const space = z.string().min(1).max(MAX_SPACE_LENGTH);
const name = z.string().trim().min(1).max(MAX_NAME_LENGTH);
const permissions = z.array(z.enum(PERMISSIONS)).readonly();
const time = z.iso.datetime();
const remaining = z.number().int().min(0).nullable().describe('Total requests left; null for no quota.');
const seconds = z.number().int().min(1).max(MAX_RATE_WINDOW);
const rateLimit = z
  .strictObject({
    max: z.number().int().min(1).describe('Requests per window.'),
    windowSeconds: seconds.optional().describe('From the first request of a window. Required.'),
    window: seconds.optional().describe('The same, under its former name.'),
  })
  .superRefine(({ window, windowSeconds }, { addIssue }) => {
    if (window === undefined && windowSeconds === undefined)
      addIssue({ code: 'invalid_type', expected: 'number', path: ['windowSeconds'], input: undefined });
    else if (window !== undefined && windowSeconds !== undefined && window !== windowSeconds)
      addIssue({
        code: 'custom',
        message: 'expected the value of "window", or only one of them',
        path: ['windowSeconds'],
      });
  })
  .nullable()
  .describe('Null for no rate limit.');

/** Imported keys have windows of any length. */
const shownRateLimit = z
  .object({
    max: z.number().int(),
    windowSeconds: z.number(),
    window: z.number().describe('The same, under its former name.'),
  })
  .nullable()
  .describe('Null for no rate limit.');

// A misspelt field would give a key all permissions, or no limit.
const createBody = z
  .strictObject({
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
    space: space
      .nullable()
      .optional()
      .describe('The space to which the key is restricted. Keys that are created in a space belong to it.'),
  })
  .nullish();

const updateBody = z
  .strictObject({
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

const spaceId = space.nullable().describe('The space to which the key is restricted; null for none.');

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
    space: spaceId,
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
export function apiKeyRoutes({ services: { keyring, config }, trail }: RouteContext): readonly Endpoint[] {
  return [...allKeys(keyring, trail), ...oneKey(keyring, config.auth.firstKey !== undefined, trail)];
}

function allKeys(keyring: SpaceKeyring, trail: AuditTrail): readonly Endpoint[] {
  const create = defineEndpoint('POST /api-keys/create', {
    ...access,
    audit: 'key.created',
    openapi: { id: 'createApiKey', tag, summary: 'Creates a key.', errors: [503] },
    schemas: { body: createBody, response: { 200: created } },
    async handle(request) {
      const { body } = request;
      const requested = {
        name: body?.name,
        expiresInSeconds: body?.expiresIn,
        permissions: body?.permissions,
        remaining: body?.remaining,
        rateLimit: readRateLimit(body?.rateLimit),
        space: body?.space,
      };
      const within = trail.within<ApiKey>(request, ({ id, name, permissions, expiresAt }) => ({
        action: 'key.created',
        target: id,
        detail: { name, permissions, expiresAt },
      }));
      const made = await keyring.create(requested, within);
      const { id, key, name, start, prefix, permissions, createdAt, expiresAt, remaining, rateLimit } =
        withSeconds(made);
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
    handle: async ({ query }) => ({ success: true, keys: (await keyring.list(query)).map(withSeconds) }),
  });

  return [create, listAll];
}

/** @param isKept true if `API_KEY` is set, which every start stores again */
function oneKey(keyring: SpaceKeyring, isKept: boolean, trail: AuditTrail): readonly Endpoint[] {
  const update = defineEndpoint('PATCH /api-keys/:keyId', {
    ...access,
    audit: 'key.updated',
    openapi: {
      id: 'updateApiKey',
      tag,
      summary: 'Changes the name, the state or the limits of a key.',
      description: ENVIRONMENT,
      errors: [404, 503],
    },
    schemas: { params: keyParams, body: updateBody, response: { 200: updated } },
    async handle(request) {
      const { params, body } = request;
      const within = trail.within<ApiKey>(request, ({ id, name, enabled }) => ({
        action: 'key.updated',
        target: id,
        detail: { name, enabled, changed: changedFields(body) },
      }));
      const change = { ...body, rateLimit: readRateLimit(body.rateLimit) };
      const key = await keyring.update(params.keyId, change, within);
      if (!key) throw unknownKey(params.keyId);
      const isBack = isKept && params.keyId === ENVIRONMENT_ID && body.enabled === false;
      return { success: true, key: withSeconds(key), message: `API key updated.${isBack ? ` ${NEXT_START}` : ''}` };
    },
  });

  const revoke = defineEndpoint('DELETE /api-keys/:keyId', {
    ...access,
    audit: 'key.deleted',
    openapi: { id: 'deleteApiKey', tag, summary: 'Revokes a key.', description: ENVIRONMENT, errors: [404, 503] },
    schemas: { params: keyParams, response: { 200: deleted } },
    async handle(request) {
      const { params } = request;
      const within = trail.within<ApiKey>(request, ({ id, name }) => ({
        action: 'key.deleted',
        target: id,
        detail: { name },
      }));
      if (!(await keyring.remove(params.keyId, within))) throw unknownKey(params.keyId);
      const isBack = isKept && params.keyId === ENVIRONMENT_ID;
      return { success: true, message: `API key revoked.${isBack ? ` ${NEXT_START}` : ''}` };
    },
  });

  return [update, revoke];
}

/** Both names of the window mean the same. */
function readRateLimit(given: z.output<typeof rateLimit> | undefined): RateLimit | null | undefined {
  if (!given) return given;
  return { max: given.max, window: given.windowSeconds ?? given.window ?? 0 };
}

function withSeconds<Key extends Pick<ApiKey, 'rateLimit'>>(key: Key) {
  const { rateLimit } = key;
  return { ...key, rateLimit: rateLimit && { ...rateLimit, windowSeconds: rateLimit.window } };
}

function unknownKey(id: string) {
  return notFound(`There is no API key with the id ${quote(id)}.`, 'api_key_not_found');
}
