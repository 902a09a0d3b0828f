import { hash } from 'node:crypto';
import { generateRandomString } from 'better-auth/crypto';
import type { ApiKeyRow } from '../db/schema.ts';
import { parseJson } from '../json.ts';

export const PERMISSIONS = ['read', 'upload', 'manage', 'admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];

export type ApiKey = Readonly<ReturnType<typeof toApiKey>>;

/** Requests per window; the window is in seconds and begins with its first request. */
export interface RateLimit {
  max: number;
  window: number;
}

const DAY_SECONDS = 24 * 60 * 60;

/** Default and limits of a key's term, in seconds. */
export const DEFAULT_EXPIRES_IN = 365 * DAY_SECONDS;
export const SHORTEST_EXPIRES_IN = DAY_SECONDS;
export const LONGEST_EXPIRES_IN = 3650 * DAY_SECONDS;

/** Maximum window of a rate limit, in seconds: 365 days. */
export const MAX_RATE_WINDOW = 365 * DAY_SECONDS;

const KEY_LENGTH = 64;
const START_LENGTH = 6;

/** Generates a key of 64 letters and digits (381 bits). */
export function generateKey(): string {
  return generateRandomString(KEY_LENGTH, 'a-z', 'A-Z', '0-9');
}

export function generateKeyId(): string {
  return generateRandomString(32, 'a-z', 'A-Z', '0-9');
}

/** Hashes a key or a token. They are long and random, so a fast hash without a salt is enough. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'base64url');
}

export function newRow(options: {
  id: string;
  key: string;
  name: string;
  permissions: readonly Permission[];
  now: number;
  expiresInSeconds: number;
  /** Space that it is restricted to; empty (default) for none. */
  space?: string;
  remaining?: number | null | undefined;
  rateLimit?: RateLimit | null | undefined;
}): ApiKeyRow {
  const createdAt = new Date(options.now).toISOString();
  return {
    id: options.id,
    name: options.name,
    start: options.key.slice(0, START_LENGTH),
    prefix: null,
    hash: hashKey(options.key),
    enabled: 1,
    permissions: JSON.stringify(options.permissions),
    ...quotaColumns(options.remaining ?? null),
    ...rateLimitColumns(options.rateLimit ?? null),
    lastUsedAt: null,
    expiresAt: new Date(options.now + options.expiresInSeconds * 1000).toISOString(),
    createdAt,
    updatedAt: createdAt,
    space: options.space ?? '',
  };
}

/** Columns of a quota without refill. @param remaining null for no quota */
export function quotaColumns(remaining: number | null) {
  return {
    remaining,
    refillAmount: null,
    refillIntervalMs: null,
    refilledAt: 0,
  };
}

/** Columns of a rate limit with a count of 0. @param rateLimit null for none */
export function rateLimitColumns(rateLimit: RateLimit | null) {
  return {
    rateLimitMax: rateLimit === null ? null : rateLimit.max,
    rateLimitWindowMs: rateLimit === null ? null : rateLimit.window * 1000,
    rateLimitStartedAt: 0,
    rateLimitCount: 0,
  };
}

/** Public fields of a key. Times are ISO 8601. */
export function toApiKey(row: ApiKeyRow) {
  return {
    id: row.id,
    name: row.name,
    /** The first 6 characters of the key. */
    start: row.start,
    prefix: row.prefix,
    enabled: row.enabled !== 0,
    permissions: parsePermissions(row.permissions),
    expiresAt: row.expiresAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    /** To the minute; null before the first use. */
    lastUsedAt: row.lastUsedAt,
    remaining: row.remaining,
    rateLimitEnabled: row.rateLimitMax !== null,
    rateLimit: rateLimitOf(row),
    /** The space to which it is restricted; null for a key of the installation. */
    space: row.space === '' ? null : row.space,
  };
}

export function rateLimitOf({ rateLimitMax, rateLimitWindowMs }: ApiKeyRow): RateLimit | null {
  if (rateLimitMax === null || rateLimitWindowMs === null) return null;
  return { max: rateLimitMax, window: rateLimitWindowMs / 1000 };
}

/** Time until the current window of a rate limit ends: at least 1, at most the window. @param now Unix milliseconds */
export function secondsToNextWindow({ rateLimitWindowMs, rateLimitStartedAt }: ApiKeyRow, now: number): number {
  const windowMs = rateLimitWindowMs ?? 0;
  const leftMs = Math.min(windowMs, rateLimitStartedAt + windowMs - now);
  return Math.max(1, Math.ceil(leftMs / 1000));
}

/** Parses stored permissions. An unreadable value grants none. */
export function parsePermissions(json: string): Permission[] {
  const listed = parseJson(json);
  return Array.isArray(listed) ? PERMISSIONS.filter((permission) => listed.includes(permission)) : [];
}
