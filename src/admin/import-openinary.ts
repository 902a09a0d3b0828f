import { access } from 'node:fs/promises';
import { rateLimitOf } from '../auth/api-key.ts';
import type { Keyring } from '../auth/keyring.ts';
import { type TakenOver, takeOver } from '../auth/openinary-key.ts';
import { readForeignTable } from '../db/sqlite/foreign-table.ts';
import { quote } from '../path.ts';
import { Refusal } from './refusal.ts';

const TABLE = 'apiKey';
const MAX_KEYS = 10_000;

/**
 * Imports the API keys of Openinary, whose database is only read. Existing keys do not change.
 * @param temp folder for a copy of the database
 * @returns a report without keys and hashes
 * @throws Refusal when the file is missing or has no table of keys
 */
export async function importOpeninary(keyring: Keyring, file: string, temp: string): Promise<string> {
  await access(file).catch(() => {
    throw new Refusal(`The file ${quote(file)} is missing or unreadable for this user.`);
  });
  const rows = await readForeignTable(file, { table: TABLE, maxRows: MAX_KEYS + 1, temp });
  if (!rows) throw new Refusal(`No table "${TABLE}" in ${quote(file)}. Expected Openinary's auth.db.`);
  if (rows.length > MAX_KEYS) throw new Refusal(`Expected at most ${MAX_KEYS} keys in ${quote(file)}, found more.`);
  const imported: string[] = [];
  const skipped: string[] = [];
  for (const row of rows) {
    const name = quote(typeof row.name === 'string' ? row.name : '');
    const read = takeOver(row, Date.now());
    if ('left' in read) skipped.push(`  ${name}: ${read.left}`);
    else if (await keyring.adopt(read.row)) imported.push(`  ${name}: ${termsOf(read)}`);
    else skipped.push(`  ${name}: it exists already`);
  }
  return [
    `Imported ${imported.length} of ${rows.length} keys${imported.length > 0 ? ':' : '.'}`,
    ...imported,
    ...(skipped.length > 0 ? ['Skipped:', ...skipped] : []),
  ].join('\n');
}

function termsOf({ row, permissions }: Exclude<TakenOver, { left: string }>): string {
  const { remaining, expiresAt } = row;
  const rateLimit = rateLimitOf(row);
  return [
    `permissions ${permissions.join(', ')}`,
    expiresAt === null ? 'never expires' : `expires ${expiresAt}`,
    ...(row.enabled === 0 ? ['disabled'] : []),
    ...(remaining === null ? [] : [`${remaining} requests left`]),
    ...(rateLimit === null ? [] : [`at most ${rateLimit.max} requests in ${rateLimit.window} s`]),
  ].join('; ');
}
