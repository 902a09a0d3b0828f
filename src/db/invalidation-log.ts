import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { parseJson } from '../json.ts';
import { lockUntilEnd } from './locks.ts';
import type { Schema } from './schema.ts';
import { readSetting, writeSetting } from './setting-rows.ts';

const NAME = 'variants.invalidated';

/** Maximum of entries that are stored one by one. */
const MAX_ENTRIES = 100;
const MAX_PATHS = 1000;

const entries = z.array(z.object({ id: z.string(), paths: z.union([z.array(z.string()), z.literal('all')]) }));

type Entry = z.output<typeof entries>[number];

/** Originals whose variants are invalid: these, or all. */
export type Invalidated = readonly string[] | 'all';

export type InvalidationLog = ReturnType<typeof createInvalidationLog>;

/**
 * Stores the last invalidations in their order. A node that was unreachable reads from them what it has missed. Their
 * names are random, so that a database that was restored from a backup is not taken for the previous one.
 */
export function createInvalidationLog(db: Kysely<Schema>) {
  async function add(paths: Invalidated): Promise<void> {
    await db.transaction().execute(async (transaction) => {
      await lockUntilEnd(transaction, 'invalidations');
      const entry = { id: randomUUID(), paths: paths === 'all' ? paths : [...paths] };
      await writeSetting(transaction, NAME, JSON.stringify(shorten([...(await read(transaction)), entry])));
    });
  }

  return {
    add,

    /**
     * Returns the invalidations since an entry: `all` when they are unknown.
     * @param seen the id of the last entry that has been seen
     * @returns the id of the last one now, too
     */
    async since(seen: string): Promise<{ last: string; paths: Invalidated }> {
      // A first entry gives nodes that start with nothing a position to continue from.
      if ((await read(db)).length === 0) await add([]);
      const found = await read(db);
      const last = found.at(-1)?.id ?? '';
      const at = found.findIndex(({ id }) => id === seen);
      const missed = found.slice(at + 1).map(({ paths }) => paths);
      return { last, paths: at < 0 || missed.includes('all') ? 'all' : missed.flat() };
    },
  };
}

async function read(db: Kysely<Schema>): Promise<Entry[]> {
  return entries.safeParse(parseJson((await readSetting(db, NAME)) ?? '[]')).data ?? [];
}

/** Drops the oldest entries above the limit. The newest stays: positions refer to it. */
function shorten(all: readonly Entry[]): Entry[] {
  const retained: Entry[] = [];
  let paths = 0;
  for (const entry of all.toReversed().slice(0, MAX_ENTRIES)) {
    paths += entry.paths === 'all' ? 0 : entry.paths.length;
    if (retained.length > 0 && paths > MAX_PATHS) break;
    retained.unshift(entry);
  }
  return retained;
}
