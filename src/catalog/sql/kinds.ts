import type { Kysely } from 'kysely';
import { yieldToEventLoop } from '../../concurrency.ts';
import type { Schema } from '../../db/schema.ts';
import { readSetting, writeSetting } from '../../db/setting-rows.ts';
import { acceptedExtraTypes, mediaTypeOf } from '../../media.ts';
import { inChunks, step } from './step.ts';

/** Name of the database setting that records the accepted types for which the rows were written. */
const NAME = 'extra types';
/** Number of rows read per step. */
const KINDS_BATCH = 2000;

/**
 * Updates the kinds of rows after the further accepted types change: their files are of another kind then, and are
 * described again. Reads the rows only if the types differ from those of the previous start.
 */
export async function followTypes(db: Kysely<Schema>, signal: AbortSignal): Promise<void> {
  const types = acceptedExtraTypes().join(',');
  if (((await readSetting(db, NAME)) ?? '') === types) return;
  for (let after: number | undefined = 0; after !== undefined; after = await followFrom(db, after)) {
    if (signal.aborted) return;
    await yieldToEventLoop();
  }
  await writeSetting(db, NAME, types);
}

/** @returns the id after which the next step starts; undefined at the end */
async function followFrom(db: Kysely<Schema>, after: number): Promise<number | undefined> {
  const rows = await db
    .selectFrom('asset')
    .select(['id', 'extension', 'kind'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(KINDS_BATCH)
    .execute();
  const other = rows.flatMap(({ id, extension, kind }) => {
    const now = mediaTypeOf(`x.${extension}`).kind;
    return now === kind ? [] : [{ id, now }];
  });
  for (const [kind, some] of Map.groupBy(other, ({ now }) => now)) {
    for (const batch of inChunks(some)) {
      const ids = batch.map(({ id }) => id);
      const changed = { kind, describedEtag: null, describeDueAt: 0, describeFailures: 0 };
      await step(db, (transaction) => transaction.updateTable('asset').set(changed).where('id', 'in', ids).execute());
    }
  }
  return rows.length < KINDS_BATCH ? undefined : rows.at(-1)?.id;
}
