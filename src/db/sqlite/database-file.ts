import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { hasCode, unavailable } from '../../errors.ts';

/** The state of the file of an open database. */
export type FileState = 'ok' | 'gone' | 'replaced' | 'not writable' | 'damaged';

const RETRY_SECONDS = 30;

const SENTENCES: Readonly<Record<Exclude<FileState, 'ok'>, string>> = {
  gone: 'The file of the database was deleted while the service runs',
  replaced: 'The file of the database was replaced by another while the service runs',
  'not writable': 'The file of the database can no longer be written',
  damaged: 'The file of the database is damaged, and a backup of it has to be restored',
};

/** Ends the message of a refused change. */
const ENDINGS: Readonly<Record<Exclude<FileState, 'ok'>, string>> = {
  gone: 'until it is restarted',
  replaced: 'until it is restarted',
  'not writable': 'until it is restarted',
  damaged: 'until then',
};

/**
 * The file of an open database. When the file is deleted or replaced, SQLite continues normally, and everything written
 * from then on is lost with the process.
 */
export class DatabaseFile {
  readonly #path: string;
  readonly #identity: string | undefined;
  #state: FileState = 'ok';
  #isDamaged = false;

  private constructor(path: string, identity: string | undefined) {
    this.#path = path;
    this.#identity = identity;
  }

  /** @param path of a database that is open */
  static async of(path: string): Promise<DatabaseFile> {
    return new DatabaseFile(path, await identityOf(path));
  }

  /** For a database without a file to lose: in memory, or on a server. */
  static none(): DatabaseFile {
    return new DatabaseFile('', undefined);
  }

  /** The state at the last check. Does not check. */
  get state(): FileState {
    return this.#state;
  }

  /** The problem, as a sentence without its full stop; undefined without one. */
  get problem(): string | undefined {
    return this.#state === 'ok' ? undefined : SENTENCES[this.#state];
  }

  /** Notes damage of its content, which no check of the path detects. */
  noteDamage(): void {
    this.#isDamaged = true;
    this.#state = 'damaged';
  }

  /** Checks that the path still leads to the file that was opened. */
  async check(): Promise<FileState> {
    this.#state = await this.#probe();
    return this.#state;
  }

  /**
   * Checks the file after a change that is acknowledged as durable.
   * @throws HttpProblem 503 when the change will be lost
   */
  async assertDurable(): Promise<void> {
    const state = await this.check();
    if (state === 'ok') return;
    const message = `${SENTENCES[state]}: nothing can be stored ${ENDINGS[state]}.`;
    throw unavailable(message, 'database_unavailable', RETRY_SECONDS);
  }

  async #probe(): Promise<FileState> {
    if (this.#identity === undefined) return 'ok';
    try {
      if ((await identityOf(this.#path)) !== this.#identity) return 'replaced';
      await access(this.#path, constants.R_OK | constants.W_OK);
      return this.#isDamaged ? 'damaged' : 'ok';
    } catch (error) {
      return hasCode(error, 'ENOENT', 'ENOTDIR') ? 'gone' : 'not writable';
    }
  }
}

async function identityOf(path: string): Promise<string> {
  const { dev, ino } = await stat(path, { bigint: true });
  return `${dev}:${ino}`;
}
