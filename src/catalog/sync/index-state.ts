import { z } from 'zod';
import type { OpenDatabase } from '../../db/schema.ts';
import { parseJson } from '../../json.ts';

const NAME = 'catalog';
const value = z.object({ indexedAt: z.number(), reconciledAt: z.number() });

/** Whether the rows have ever been complete, and when they were last compared with everything that is stored. */
export class IndexState {
  readonly #db: OpenDatabase['db'];
  /** Undefined before the database has said. */
  isKnownComplete: boolean | undefined;

  constructor({ db }: Pick<OpenDatabase, 'db'>) {
    this.#db = db;
  }

  async isComplete(): Promise<boolean> {
    this.isKnownComplete ||= (await this.#read()) !== undefined;
    return this.isKnownComplete;
  }

  /** Milliseconds since 1970, by any node; undefined when it never was. */
  async reconciledAt(): Promise<number | undefined> {
    return (await this.#read())?.reconciledAt;
  }

  /** The rows have just been compared with everything. */
  async complete(now = Date.now()): Promise<void> {
    const state = JSON.stringify({ indexedAt: (await this.#read())?.indexedAt ?? now, reconciledAt: now });
    const row = this.#db.insertInto('setting').values({ name: NAME, value: state });
    await row.onConflict((conflict) => conflict.column('name').doUpdateSet({ value: state })).execute();
    this.isKnownComplete = true;
  }

  /** The rows are not to be used before they have been compared with everything. */
  async forget(): Promise<void> {
    await this.#db.deleteFrom('setting').where('name', '=', NAME).execute();
    this.isKnownComplete = false;
  }

  async #read() {
    const row = await this.#db.selectFrom('setting').select('value').where('name', '=', NAME).executeTakeFirst();
    return value.safeParse(parseJson(row?.value ?? '')).data;
  }
}
