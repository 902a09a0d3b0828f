import type { ApiKeyRow } from '../../db/schema.ts';
import { parseJson } from '../../json.ts';
import { type Permission, quotaColumns, rateLimitColumns } from '../api-key.ts';

type ForeignRow = Readonly<Record<string, unknown>>;

/** A key of Openinary as this service keeps it, or why it cannot. */
export type TakenOver = { row: ApiKeyRow; permissions: readonly Permission[] } | { left: string };

/** What a key of Openinary may do here. There every key may do everything; here keys are made with those that have "admin". */
const WRITING: readonly Permission[] = ['read', 'upload', 'manage'];
const READING: readonly Permission[] = ['read'];

const START_LENGTH = 6;
const NAME_LENGTH = 100;

/** A column has another value than better-auth writes into it. */
class Unreadable extends Error {
  override name = 'Unreadable';
}

/**
 * Reads a row of Openinary's table of keys, which is that of better-auth. Hash, term, quota and rate limit stay as they are.
 * @param now Unix milliseconds
 */
export function takeOver(row: ForeignRow, now: number): TakenOver {
  try {
    const permissions = permissionsOf(row.permissions);
    const expiresAt = timeOf(row, 'expiresAt');
    if (expiresAt !== null && Date.parse(expiresAt) <= now) return { left: `it ended at ${expiresAt}` };
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

/** Keys that were made before Openinary wrote permissions down have none. @throws Unreadable for others than its own */
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

function matching(row: ForeignRow, column: string, form: RegExp): string {
  const value = textOf(row, column);
  return value !== null && form.test(value) ? value : refuse(column);
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

/** The value is not shown: it may be a secret. */
function refuse(column: string): never {
  throw new Unreadable(`its ${column} has another form than better-auth gives it`);
}
