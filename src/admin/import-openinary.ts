import { access } from 'node:fs/promises';
import { rateLimitOf } from '../auth/api-key.ts';
import type { Keyring } from '../auth/keyring.ts';
import { type TakenOver, takeOver } from '../auth/openinary/key.ts';
import { readForeignTable } from '../db/sqlite/foreign-table.ts';
import { quote } from '../path.ts';
import { Refusal } from './refusal.ts';

const TABLE = 'apiKey';
const MAX_KEYS = 10_000;

/**
 * Takes over the API keys of an installation of Openinary, whose database is only read. What is here already stays as it is.
 * @param temp a folder for a copy of it
 * @returns what was taken over and what was left, for people: no keys and no hashes
 * @throws Refusal when the file is not there or has no keys in it
 */
export async function importOpeninary(keyring: Keyring, file: string, temp: string): Promise<string> {
  await access(file).catch(() => {
    throw new Refusal(`There is no file ${quote(file)}, or this user may not read it.`);
  });
  const rows = await readForeignTable(file, { table: TABLE, maxRows: MAX_KEYS + 1, temp });
  if (!rows) throw new Refusal(`There is no table "${TABLE}" in ${quote(file)}: is it Openinary's auth.db?`);
  if (rows.length > MAX_KEYS) throw new Refusal(`Expected at most ${MAX_KEYS} keys in ${quote(file)}, found more.`);
  const [taken, left]: [string[], string[]] = [[], []];
  for (const row of rows) {
    const name = quote(typeof row.name === 'string' ? row.name : '');
    const read = takeOver(row, Date.now());
    if ('left' in read) left.push(`  ${name}: ${read.left}`);
    else if (await keyring.adopt(read.row)) taken.push(`  ${name}: ${termsOf(read)}`);
    else left.push(`  ${name}: it is here already`);
  }
  return [
    `${taken.length} of ${rows.length} keys were taken over${taken.length > 0 ? ':' : '.'}`,
    ...taken,
    ...(left.length > 0 ? ['Left:', ...left] : []),
  ].join('\n');
}

function termsOf({ row, permissions }: Exclude<TakenOver, { left: string }>): string {
  const { remaining, expiresAt } = row;
  const rateLimit = rateLimitOf(row);
  return [
    `permissions ${permissions.join(', ')}`,
    expiresAt === null ? 'never ends' : `ends ${expiresAt}`,
    ...(row.enabled === 0 ? ['disabled'] : []),
    ...(remaining === null ? [] : [`${remaining} requests left`]),
    ...(rateLimit === null ? [] : [`at most ${rateLimit.max} requests in ${rateLimit.window} s`]),
  ].join('; ');
}
