import { z } from 'zod';
import type { OpenDatabase } from '../../db/schema.ts';
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
    const row = this.#db.insertInto('setting').values({ name: NAME, value: state });
    await row.onConflict((conflict) => conflict.column('name').doUpdateSet({ value: state })).execute();
    this.isKnownComplete = true;
  }

  /** Invalidates the rows until the next reconciliation. */
  async forget(): Promise<void> {
    await this.#db.deleteFrom('setting').where('name', '=', NAME).execute();
    this.isKnownComplete = false;
  }

  async #read() {
    const row = await this.#db.selectFrom('setting').select('value').where('name', '=', NAME).executeTakeFirst();
    return value.safeParse(parseJson(row?.value ?? '')).data;
  }
}
