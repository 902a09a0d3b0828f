import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { hasCode, unavailable } from '../../errors.ts';

/** The state of the file of an open database. */
export type FileState = 'ok' | 'gone' | 'replaced' | 'not writable';

const RETRY_SECONDS = 30;

const SENTENCES: Readonly<Record<Exclude<FileState, 'ok'>, string>> = {
  gone: 'The file of the database was deleted while the service runs',
  replaced: 'The file of the database was replaced by another while the service runs',
  'not writable': 'The file of the database can no longer be written',
};

/**
 * The file of an open database. When the file is deleted or replaced, SQLite goes on as if nothing had happened, and everything
 * that is written then is lost with the process.
 */
export class DatabaseFile {
  readonly #path: string;
  readonly #identity: string | undefined;
  #state: FileState = 'ok';

  private constructor(path: string, identity: string | undefined) {
    this.#path = path;
    this.#identity = identity;
  }

  /** @param path of a database that is open */
  static async of(path: string): Promise<DatabaseFile> {
    return new DatabaseFile(path, await identityOf(path));
  }

  /** For a database without a file, to which nothing can happen. */
  static none(): DatabaseFile {
    return new DatabaseFile('', undefined);
  }

  /** The state as it was seen last. Does not look. */
  get state(): FileState {
    return this.#state;
  }

  /** What is wrong, as a sentence without its full stop; undefined when all is well. */
  get complaint(): string | undefined {
    return this.#state === 'ok' ? undefined : SENTENCES[this.#state];
  }

  /** Looks whether the path still leads to the file that was opened. */
  async check(): Promise<FileState> {
    this.#state = await this.#look();
    return this.#state;
  }

  /**
   * To be called after a change that is acknowledged as lasting.
   * @throws HttpProblem 503 when it will be lost
   */
  async assertLasting(): Promise<void> {
    await this.check();
    if (this.complaint !== undefined) {
      const message = `${this.complaint}: nothing can be kept until it is started again.`;
      throw unavailable(message, 'database_unavailable', RETRY_SECONDS);
    }
  }

  async #look(): Promise<FileState> {
    if (this.#identity === undefined) return 'ok';
    try {
      if ((await identityOf(this.#path)) !== this.#identity) return 'replaced';
      await access(this.#path, constants.R_OK | constants.W_OK);
      return 'ok';
    } catch (error) {
      return hasCode(error, 'ENOENT', 'ENOTDIR') ? 'gone' : 'not writable';
    }
  }
}

async function identityOf(path: string): Promise<string> {
  const { dev, ino } = await stat(path, { bigint: true });
  return `${dev}:${ino}`;
}
