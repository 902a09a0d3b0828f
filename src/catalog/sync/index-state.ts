import { z } from 'zod';
import type { OpenDatabase } from '../../db/schema.ts';
import { readSetting, removeSetting, writeSetting } from '../../db/setting-rows.ts';
import { parseJson } from '../../json.ts';

const NAME = 'catalog';
const value = z.object({ indexedAt: z.number(), reconciledAt: z.number() });

/** State of the index: whether the rows were ever complete, and the time of the last reconciliation. */
export class IndexState {
  readonly #db: OpenDatabase['db'];
  /** Undefined until the database was read. */
  isKnownComplete: boolean | undefined;

  constructor({ db }: Pick<OpenDatabase, 'db'>) {
    this.#db = db;
  }

  async isComplete(): Promise<boolean> {
    this.isKnownComplete ||= (await this.#read()) !== undefined;
    return this.isKnownComplete;
  }

  /** Time of the last reconciliation by any node, in milliseconds since 1970; undefined if there was none. */
  async reconciledAt(): Promise<number | undefined> {
    return (await this.#read())?.reconciledAt;
  }

  /** Records a completed reconciliation. */
  async complete(now = Date.now()): Promise<void> {
    const state = JSON.stringify({ indexedAt: (await this.#read())?.indexedAt ?? now, reconciledAt: now });
    await writeSetting(this.#db, NAME, state);
    this.isKnownComplete = true;
  }

  /** Invalidates the rows until the next reconciliation. */
  async invalidate(): Promise<void> {
    await removeSetting(this.#db, NAME);
    this.isKnownComplete = false;
  }

  async #read() {
    return value.safeParse(parseJson((await readSetting(this.#db, NAME)) ?? '')).data;
  }
}
