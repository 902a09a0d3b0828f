import type { ApiKeyRow } from '../db/schema.ts';
import { parseJson } from '../json.ts';
import { type Permission, quotaColumns, rateLimitColumns } from './api-key.ts';

type ForeignRow = Readonly<Record<string, unknown>>;

/** Imported key of Openinary, or the reason against it. */
export type TakenOver = { row: ApiKeyRow; permissions: readonly Permission[] } | { left: string };

/**
 * Permissions of an imported key. In Openinary every key has full access; `admin`, which creates keys, is not granted.
 */
const WRITING: readonly Permission[] = ['read', 'upload', 'manage'];
const READING: readonly Permission[] = ['read'];

const START_LENGTH = 6;
const NAME_LENGTH = 100;

/** A column has a value that better-auth does not write. */
class Unreadable extends Error {
  override name = 'Unreadable';
}

/**
 * Converts a row of Openinary's key table, which is that of better-auth. Hash, term, quota and rate limit stay.
 * @param now Unix milliseconds
 */
export function takeOver(row: ForeignRow, now: number): TakenOver {
  try {
    const permissions = permissionsOf(row.permissions);
    const expiresAt = timeOf(row, 'expiresAt');
    if (expiresAt !== null && Date.parse(expiresAt) <= now) return { left: `it expired at ${expiresAt}` };
    const adopted = {
      ...identityOf(row, now),
      ...quotaOf(row, now),
      ...rateLimitOf(row),
      permissions: JSON.stringify(permissions),
      expiresAt,
    };
    return { row: adopted, permissions };
  } catch (error) {
    if (error instanceof Unreadable) return { left: error.message };
    throw error;
  }
}

function identityOf(row: ForeignRow, now: number) {
  const createdAt = timeOf(row, 'createdAt') ?? new Date(now).toISOString();
  return {
    id: matching(row, 'id', /^[\w-]{1,64}$/),
    // SHA-256, base64url without padding: better-auth's default.
    hash: matching(row, 'key', /^[\w-]{43}$/),
    name: textOf(row, 'name')?.slice(0, NAME_LENGTH) ?? '',
    start: textOf(row, 'start')?.slice(0, START_LENGTH) ?? '',
    prefix: textOf(row, 'prefix')?.slice(0, START_LENGTH) ?? null,
    enabled: countOf(row, 'enabled') === 1 ? 1 : 0,
    createdAt,
    updatedAt: timeOf(row, 'updatedAt') ?? createdAt,
    lastUsedAt: timeOf(row, 'lastRequest'),
    space: '',
  };
}

function quotaOf(row: ForeignRow, now: number) {
  const remaining = countOf(row, 'remaining');
  const refillAmount = countOf(row, 'refillAmount');
  const refillIntervalMs = countOf(row, 'refillInterval');
  const refilledAt = timeOf(row, 'lastRefillAt') ?? timeOf(row, 'createdAt');
  if (remaining === null || !refillAmount || !refillIntervalMs) return quotaColumns(remaining);
  return { remaining, refillAmount, refillIntervalMs, refilledAt: refilledAt === null ? now : Date.parse(refilledAt) };
}

function rateLimitOf(row: ForeignRow) {
  const max = countOf(row, 'rateLimitMax');
  const windowMs = countOf(row, 'rateLimitTimeWindow');
  const isEnabled = countOf(row, 'rateLimitEnabled') === 1;
  return rateLimitColumns(isEnabled && max !== null && windowMs !== null ? { max, window: windowMs / 1000 } : null);
}

/** Keys of early versions of Openinary have no permissions. @throws Unreadable for unknown ones */
function permissionsOf(json: unknown): readonly Permission[] {
  if (json === null || json === undefined) return WRITING;
  const actions = parseJson(String(json)) as { api?: unknown } | null | undefined;
  const api = Array.isArray(actions?.api) ? actions.api : [];
  if (api.includes('write')) return WRITING;
  if (api.includes('read')) return READING;
  throw new Unreadable('its permissions are not those that Openinary gives');
}

function textOf(row: ForeignRow, column: string): string | null {
  const value = row[column] ?? null;
  return value === null || typeof value === 'string' ? value : refuse(column);
}

function matching(row: ForeignRow, column: string, pattern: RegExp): string {
  const value = textOf(row, column);
  return value !== null && pattern.test(value) ? value : refuse(column);
}

function countOf(row: ForeignRow, column: string): number | null {
  const value = row[column] ?? null;
  const isCount = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
  return value === null || isCount ? value : refuse(column);
}

/** better-auth writes ISO 8601 into SQLite; other tools write Unix milliseconds. */
function timeOf(row: ForeignRow, column: string): string | null {
  const value = row[column] ?? null;
  if (value === null) return null;
  if (typeof value !== 'string' && typeof value !== 'number') return refuse(column);
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? refuse(column) : time.toISOString();
}

/** Does not show the value, which may be a secret. */
function refuse(column: string): never {
  throw new Unreadable(`its ${column} does not have the format of better-auth`);
}
