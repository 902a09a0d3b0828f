import { hash } from 'node:crypto';
import { generateRandomString } from 'better-auth/crypto';
import type { ApiKeyRow } from '../db/schema.ts';
import { parseJson } from '../json.ts';

export const PERMISSIONS = ['read', 'upload', 'manage', 'admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];

export type ApiKey = Readonly<ReturnType<typeof toApiKey>>;

/** Keys belong to the service, not to an account: they work before there is one and outlive it. */
export const OWNER = 'darkroom';

/** The resource under which the row's JSON lists the permissions, which the plugin wants as actions by resource. */
const RESOURCE = 'darkroom';

const DAY_SECONDS = 24 * 60 * 60;

/** How long a key is valid by default, and what a client may ask for, in seconds. */
export const DEFAULT_EXPIRES_IN = 365 * DAY_SECONDS;
export const SHORTEST_EXPIRES_IN = DAY_SECONDS;
export const LONGEST_EXPIRES_IN = 3650 * DAY_SECONDS;

const KEY_LENGTH = 64;
const START_LENGTH = 6;

/** A key of 64 letters and digits: 381 bits. */
export function generateKey(): string {
  return generateRandomString(KEY_LENGTH, 'a-z', 'A-Z', '0-9');
}

export function generateKeyId(): string {
  return generateRandomString(32, 'a-z', 'A-Z', '0-9');
}

/** What is stored of a key, in the plugin's form. A key is long and random, so a fast hash without salt is enough. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'base64url');
}

/** The row of a new key, as the plugin would write it, with its rate limit switched off. */
export function newRow(options: {
  id: string;
  key: string;
  name: string;
  permissions: readonly Permission[];
  now: number;
  expiresInSeconds: number;
}): ApiKeyRow {
  const createdAt = new Date(options.now).toISOString();
  return {
    id: options.id,
    configId: 'default',
    name: options.name,
    start: options.key.slice(0, START_LENGTH),
    referenceId: OWNER,
    prefix: null,
    key: hashKey(options.key),
    refillInterval: null,
    // Left out instead of null: the plugin deletes a key without a refill when its quota is used up.
    refillAmount: 0,
    lastRefillAt: null,
    enabled: 1,
    rateLimitEnabled: 0,
    rateLimitTimeWindow: null,
    rateLimitMax: null,
    requestCount: 0,
    remaining: null,
    lastRequest: null,
    expiresAt: new Date(options.now + options.expiresInSeconds * 1000).toISOString(),
    createdAt,
    updatedAt: createdAt,
    permissions: writePermissions(options.permissions),
    metadata: null,
  };
}

/** The parts of a key that may always be shown. Times are ISO 8601. */
export function toApiKey(row: ApiKeyRow) {
  return {
    id: row.id,
    name: row.name ?? '',
    /** The first 6 characters of the key. */
    start: row.start ?? '',
    prefix: row.prefix,
    enabled: row.enabled !== 0,
    permissions: parsePermissions(row.permissions),
    expiresAt: row.expiresAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    /** To the minute; null before the first use. */
    lastUsedAt: row.lastRequest,
    remaining: row.remaining,
    rateLimitEnabled: row.rateLimitEnabled !== 0,
  };
}

/** Permissions as a row has them. */
export function writePermissions(permissions: readonly Permission[]): string {
  return JSON.stringify({ [RESOURCE]: permissions });
}

/** Every row of this service names its permissions. A row that does not, or that is unreadable, has none. */
export function parsePermissions(json: string | null): Permission[] {
  const actions = parseJson(json ?? '') as Record<string, unknown> | null | undefined;
  const listed = actions?.[RESOURCE];
  return Array.isArray(listed) ? PERMISSIONS.filter((permission) => listed.includes(permission)) : [];
}
