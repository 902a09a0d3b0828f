import { type Kysely, sql } from 'kysely';
import { yieldToEventLoop } from '../../concurrency.ts';
import type { MillisecondsIn } from '../../db/clock.ts';
import { isPostgres } from '../../db/dialect.ts';
import type { Schema } from '../../db/schema.ts';
import { labOfHex } from '../../lab.ts';
import type { MediaKind } from '../../media.ts';
import type { Descriptions, Undescribed } from '../catalog-words.ts';
import type { Description } from '../records.ts';
import { pathIn } from './asset-rows.ts';
import { isInShownFolder } from './in-folder.ts';
import { ROW_BATCH, step } from './step.ts';

/** Stores descriptions and the queue of originals without one. */
export class SqlDescriptions implements Descriptions {
  readonly #db: Kysely<Schema>;
  readonly #timeIn: MillisecondsIn;

  /** @param timeIn the clock by which all nodes share the work */
  constructor(db: Kysely<Schema>, timeIn: MillisecondsIn) {
    this.#db = db;
    this.#timeIn = timeIn;
  }

  claim(limit: number, holdMs: number): Promise<Undescribed[]> {
    return step(this.#db, async (transaction) => {
      const due = await transaction
        .selectFrom('asset')
        .select('id')
        .where('describedEtag', 'is', null)
        .where('describeDueAt', '<=', this.#timeIn())
        .where(isInShownFolder())
        .orderBy('describeDueAt')
        .orderBy('id')
        .limit(limit)
        .$if(isPostgres(transaction), (query) => query.forUpdate().skipLocked())
        .execute();
      if (due.length === 0) return [];
      const ids = due.map(({ id }) => id);
      await transaction
        .updateTable('asset')
        .set({ describeDueAt: this.#timeIn(holdMs) })
        .where('id', 'in', ids)
        .execute();
      const rows = await transaction
        .selectFrom('asset')
        .innerJoin('folder', 'folder.id', 'asset.folderId')
        .select(['asset.id', 'asset.name', 'asset.etag', 'asset.size', 'asset.kind', 'asset.describeFailures'])
        .select('folder.path as folder')
        .where('asset.id', 'in', ids)
        .execute();
      return rows.map(({ id, name, folder, etag, size, kind, describeFailures }) => ({
        id,
        path: pathIn(folder, name),
        etag,
        size,
        kind: kind as MediaKind,
        failures: describeFailures,
      }));
    });
  }

  async store(id: number, etag: string, description: Description): Promise<boolean> {
    const { hasAlpha, hasGps, palette, dominantColour, ...facts } = description;
    const { l, a, b } = dominantColour ? labOfHex(dominantColour) : { l: null, a: null, b: null };
    const described = this.#row(id, etag).set({
      ...facts,
      dominantColour,
      labL: l,
      labA: a,
      labB: b,
      palette: JSON.stringify(palette),
      hasAlpha: hasAlpha === null ? null : Number(hasAlpha),
      hasGps: hasGps === null ? null : Number(hasGps),
      describedEtag: etag,
      describeFailures: 0,
      describeDueAt: 0,
    });
    return (await described.executeTakeFirstOrThrow()).numUpdatedRows > 0n;
  }

  async fail(id: number, etag: string, retryInMs: number): Promise<void> {
    const failed = this.#row(id, etag).where('describedEtag', 'is', null);
    const describeDueAt = this.#timeIn(retryInMs);
    await failed.set({ describeDueAt, describeFailures: sql`"describeFailures" + 1` }).execute();
  }

  async waiting(): Promise<{ count: number; nextDueAt: number | null }> {
    const { count, nextDueAt } = await this.#db
      .selectFrom('asset')
      .where('describedEtag', 'is', null)
      .where(isInShownFolder())
      .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('describeDueAt').as('nextDueAt')])
      .executeTakeFirstOrThrow();
    return { count, nextDueAt };
  }

  async redescribe(): Promise<void> {
    for (let after = 0; ; await yieldToEventLoop()) {
      const rows = this.#db.selectFrom('asset').select('id').where('id', '>', after).orderBy('id');
      const ids = (await rows.limit(ROW_BATCH).execute()).map(({ id }) => id);
      if (ids.length === 0) return;
      const described = this.#db.updateTable('asset').where('id', 'in', ids);
      await described.set({ describedEtag: null, describeDueAt: 0, describeFailures: 0 }).execute();
      after = ids.at(-1) ?? after;
    }
  }

  #row(id: number, etag: string) {
    return this.#db.updateTable('asset').where('id', '=', id).where('etag', '=', etag);
  }
}
