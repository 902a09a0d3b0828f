import { constants, link, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Actor } from '../../audit/audit-entry.ts';
import { hasCode } from '../../errors.ts';
import type { StoragePath } from '../../path.ts';
import { replaceFile, syncFolder } from '../../storage/disk/write.ts';
import type { UploadRequest, UploadResult } from '../upload.ts';

/** Properties of an upload from its creation on. */
export interface UploadRecord {
  /** Size of the whole file, in bytes. */
  length: number;
  /** Metadata as the client wrote it, to be returned unchanged. */
  metadata: string;
  /** Fields of the upload, without the file. */
  request: Omit<UploadRequest, 'files' | 'client'> & { name: string; declaredType: string };
  /** Means of admission: if by credentials, later requests need them too. */
  admittedBy: 'credentials' | 'signature';
  /** Its verified credentials, for the audit log. */
  actor?: Actor | undefined;
  /** Network of the client, to which the limits per client apply. */
  client: string;
  /** The space that it was begun in; absent for the library. */
  space?: string | undefined;
  /** True if it was begun at the host of the space: URLs in its result begin at the root. */
  isByHost?: boolean | undefined;
  /** Unix milliseconds. */
  createdAt: number;
}

/** Result of an upload. */
export interface Conclusion {
  result: UploadResult;
  /** Unix milliseconds. */
  concludedAt: number;
}

/** Number of bytes written to the disk before the next are accepted. */
const SYNC_BYTES = 64 * 1024 * 1024;

/**
 * Files of one upload on the disk, in its own folder. Its record makes it an upload: written last, removed first. Each
 * file is whole or missing, except the bytes, which are as many as have arrived.
 */
export class UploadFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Creates the folder, durably. @throws Error if it exists */
  async create(record: UploadRecord): Promise<void> {
    await mkdir(this.#folder);
    await writeFile(this.#bytes, '', { flag: 'wx' });
    await this.#write('record', record);
    await syncFolder(dirname(this.#folder));
  }

  /** Undefined for a folder that was being created or removed. */
  record(): Promise<UploadRecord | undefined> {
    return this.#read('record');
  }

  /** Undefined while the upload is open. */
  conclusion(): Promise<Conclusion | undefined> {
    return this.#read('conclusion');
  }

  /** Path at which an earlier attempt may have stored the file; undefined before the first one. */
  async attempt(): Promise<StoragePath | undefined> {
    return (await this.#read<{ path: StoragePath }>('attempt'))?.path;
  }

  /** Records the path, durably. Must be called before the file is stored there. */
  noteAttempt(path: StoragePath): Promise<void> {
    return this.#write('attempt', { path });
  }

  /** Makes the bytes durable. Returns their number; undefined when they are missing. */
  async safeBytes(): Promise<number | undefined> {
    try {
      await using handle = await open(this.#bytes, 'r');
      await handle.datasync();
      return (await handle.stat()).size;
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    }
  }

  /**
   * Appends bytes.
   * @param offset number of existing bytes
   * @param fill writes them, one piece after the other; what it wrote before a failure stays
   * @returns the resulting number of bytes, all durable
   */
  async append(offset: number, fill: (write: (piece: Buffer) => Promise<void>) => Promise<void>): Promise<number> {
    await using handle = await open(this.#bytes, constants.O_WRONLY | constants.O_APPEND);
    let end = offset;
    let unsafe = 0;
    try {
      await fill(async (piece) => {
        await handle.appendFile(piece);
        end += piece.length;
        unsafe += piece.length;
        if (unsafe < SYNC_BYTES) return;
        await handle.datasync();
        unsafe = 0;
      });
    } finally {
      await handle.datasync();
    }
    return end;
  }

  /**
   * Links the whole file under another name, for a caller that moves it away. The bytes stay until the upload is
   * concluded.
   */
  async link(): Promise<string> {
    const linked = join(this.#folder, 'lent');
    await rm(linked, { force: true });
    await link(this.#bytes, linked);
    return linked;
  }

  /** Records the result, then deletes the bytes, which are no longer needed. */
  async conclude(conclusion: Conclusion): Promise<void> {
    await this.#write('conclusion', conclusion);
    await this.dropBytes();
  }

  /** Deletes everything but the record and the result. */
  async dropBytes(): Promise<void> {
    for (const name of ['bytes', 'lent', 'attempt.json']) await rm(join(this.#folder, name), { force: true });
  }

  /** Removes the folder, the record first. */
  async remove(): Promise<void> {
    await rm(this.#file('record'), { force: true });
    await rm(this.#folder, { recursive: true, force: true });
  }

  get #bytes(): string {
    return join(this.#folder, 'bytes');
  }

  #file(name: string): string {
    return join(this.#folder, `${name}.json`);
  }

  async #read<T>(name: string): Promise<T | undefined> {
    try {
      return JSON.parse(await readFile(this.#file(name), 'utf8'));
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
      throw error;
    }
  }

  async #write(name: string, value: object): Promise<void> {
    await replaceFile(this.#file(name), JSON.stringify(value));
  }
}
