import { auditSystem } from '../audit/audit-rows.ts';
import {
  type ApiKey,
  LONGEST_EXPIRES_IN,
  MAX_RATE_WINDOW,
  PERMISSIONS,
  type RateLimit,
  SHORTEST_EXPIRES_IN,
} from '../auth/api-key.ts';
import { ENVIRONMENT_ID } from '../auth/first-key.ts';
import type { Keyring } from '../auth/keyring.ts';
import { quote } from '../path.ts';
import { Refusal } from './refusal.ts';

/** Actor of the commands in the audit log. */
export const COMMAND = 'command of the operator';

const DAY_SECONDS = 24 * 60 * 60;
/** Limits and default of a key's term, in days. The default is that of the dashboard, not of the API. */
export const DAYS = {
  min: SHORTEST_EXPIRES_IN / DAY_SECONDS,
  max: LONGEST_EXPIRES_IN / DAY_SECONDS,
  standard: 90,
};

export async function listKeys(keyring: Keyring): Promise<string> {
  const rows = (await keyring.list()).map((key) => [
    key.id,
    quote(key.name),
    `${key.start}…`,
    key.permissions.join(',') || 'none',
    key.enabled ? 'enabled' : 'disabled',
    key.expiresAt ?? 'never',
    key.lastUsedAt ?? 'never',
  ]);
  const table = [['ID', 'NAME', 'KEY', 'PERMISSIONS', 'STATE', 'EXPIRES', 'LAST USED'], ...rows];
  const widths = table[0]?.map((_title, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export async function createKey(
  keyring: Keyring,
  input: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const { name, days = String(DAYS.standard), permissions: requestedNames = 'read' } = input;
  const names = requestedNames.split(',').map((permission) => permission.trim());
  const permissions = PERMISSIONS.filter((permission) => names.includes(permission));
  const unknown = names.find((permission) => !PERMISSIONS.some((known) => known === permission));
  if (unknown !== undefined) {
    throw new Refusal(`Expected permissions out of ${PERMISSIONS.join(', ')}, received ${quote(unknown)}.`);
  }
  if (!/^[1-9]\d{0,3}$/.test(days) || Number(days) > DAYS.max) {
    throw new Refusal(`Expected ${DAYS.min} to ${DAYS.max} days, received ${quote(days)}.`);
  }
  if (name !== undefined && (name.trim() === '' || name.length > 100)) {
    throw new Refusal(`Expected a name of 1 to 100 characters, received ${quote(name)}.`);
  }
  const requested = {
    name: name?.trim(),
    permissions,
    expiresInSeconds: Number(days) * DAY_SECONDS,
    remaining: parseQuota(input.remaining),
    rateLimit: parseRateLimit(input['rate-limit']),
  };
  const within = auditSystem<ApiKey>(COMMAND, (key) => ({
    action: 'key.created',
    target: key.id,
    detail: { name: key.name, permissions: key.permissions, expiresAt: key.expiresAt },
  }));
  const created = await keyring.create(requested, within);
  return `API Key: ${created.key}
It is shown only now. Id ${created.id}, permissions ${created.permissions.join(', ')}, expires ${created.expiresAt}.`;
}

function parseQuota(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new Refusal(`Expected a number of requests, received ${quote(text)}.`);
  return Number(text);
}

function parseRateLimit(text: string | undefined): RateLimit | undefined {
  if (text === undefined) return undefined;
  const [, max, window] = /^([1-9]\d{0,14})\/([1-9]\d{0,7})$/.exec(text) ?? [];
  if (max === undefined || Number(window) > MAX_RATE_WINDOW) {
    const form = `<requests>/<seconds> with at most ${MAX_RATE_WINDOW} seconds`;
    throw new Refusal(`Expected a rate limit as ${form}, received ${quote(text)}.`);
  }
  return { max: Number(max), window: Number(window) };
}

export async function revokeKey(keyring: Keyring, id: string): Promise<string> {
  const within = auditSystem<ApiKey>(COMMAND, (key) => ({
    action: 'key.deleted',
    target: key.id,
    detail: { name: key.name },
  }));
  if (!(await keyring.remove(id, within))) throw new Refusal(`No key has the id ${quote(id)}.`);
  const warning = id === ENVIRONMENT_ID ? '\nThe next start creates it again while API_KEY is set.' : '';
  return `The key ${id} was revoked.${warning}`;
}
