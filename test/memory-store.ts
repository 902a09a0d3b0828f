import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addAbortSignal, Readable } from 'node:stream';
import { isWithin, parentOf, ROOT, type StoragePath } from '../src/path.ts';
import {
  type BlobEntry,
  type BlobStat,
  type BlobStore,
  type FolderLevel,
  type FolderPart,
  type FreeName,
  liesInside,
  missing,
  type OpenOptions,
  occupied,
  rootStays,
  taken,
  type WriteOptions,
} from '../src/storage/blob-store.ts';
import { type ByteSource, consume } from '../src/storage/byte-source.ts';

/** Creates a store in memory, for tests. `temp` is a folder for the files of `withLocalFile`, created on demand. */
export function createMemoryStore(options: { temp: string }): BlobStore {
  return new MemoryStore(options.temp);
}

interface StoredBlob {
  bytes: Buffer;
  stat: BlobStat;
}

const CHUNK_BYTES = 64 * 1024;

class MemoryStore implements BlobStore {
  readonly #temp: string;
  readonly #files = new Map<StoragePath, StoredBlob>();
  /** Excludes the root, which always exists. */
  readonly #folders = new Set<StoragePath>();

  constructor(temp: string) {
    this.#temp = temp;
  }

  async write(path: StoragePath, source: ByteSource, options: WriteOptions = {}): Promise<BlobStat> {
    const chunks: Uint8Array[] = [];
    await consume(source, options.signal, async (received) => {
      for await (const chunk of received) chunks.push(Buffer.from(chunk));
    });
    await options.begin?.();
    return this.#put(path, newBlob(Buffer.concat(chunks)), options);
  }

  async adopt(path: StoragePath, file: string, options: WriteOptions = {}): Promise<BlobStat> {
    const blob = newBlob(await readFile(file));
    await options.begin?.();
    const stat = this.#put(path, blob, options);
    await rm(file);
    return stat;
  }

  async *freeNames(names: Iterable<StoragePath>): AsyncGenerator<FreeName> {
    for (const path of names) if (!this.#files.has(path) && !this.#folders.has(path)) yield { path, seenAt: 0 };
  }

  async stat(path: StoragePath): Promise<BlobStat | undefined> {
    return this.#files.get(path)?.stat;
  }

  async open(path: StoragePath, options: OpenOptions = {}): Promise<Readable> {
    options.signal?.throwIfAborted();
    const { bytes, stat } = this.#require(path);
    if (options.etag !== undefined && options.etag !== stat.etag) throw missing(path);
    const { start, end } = options.range ?? { start: 0, end: bytes.length - 1 };
    const stream = Readable.from(chunksOf(bytes.subarray(start, end + 1)), { objectMode: false });
    return options.signal === undefined ? stream : addAbortSignal(options.signal, stream);
  }

  async withLocalFile<T>(path: StoragePath, use: (file: string) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { bytes } = this.#require(path);
    await mkdir(this.#temp, { recursive: true });
    const file = join(this.#temp, randomUUID());
    try {
      await writeFile(file, bytes, signal && { signal });
      return await use(file);
    } finally {
      await rm(file, { force: true });
    }
  }

  async copy(from: StoragePath, to: StoragePath, options: WriteOptions = {}): Promise<BlobStat> {
    return this.#put(to, newBlob(this.#require(from).bytes), options);
  }

  async move(from: StoragePath, to: StoragePath, options: WriteOptions = {}): Promise<BlobStat> {
    const blob = this.#require(from);
    this.#put(to, blob, options);
    if (from !== to) this.#files.delete(from);
    return blob.stat;
  }

  async remove(path: StoragePath): Promise<boolean> {
    return this.#files.delete(path);
  }

  async list(folder: StoragePath): Promise<FolderLevel> {
    return {
      folders: [...this.#folders].filter((path) => parentOf(path) === folder).sort(),
      files: this.#entries((path) => parentOf(path) === folder),
    };
  }

  async *walk(folder: StoragePath): AsyncGenerator<BlobEntry> {
    yield* this.#entries((path) => isInside(path, folder));
  }

  async folders(below = ROOT): Promise<StoragePath[]> {
    return [...this.#folders].filter((path) => isInside(path, below)).sort();
  }

  async folderExists(folder: StoragePath): Promise<boolean> {
    return folder === ROOT || this.#folders.has(folder);
  }

  async *scan(folder: StoragePath, { isDeep = true }: { isDeep?: boolean } = {}): AsyncGenerator<FolderPart> {
    const below = isDeep ? [...this.#folders].filter((path) => isInside(path, folder)) : [];
    for (const path of [folder, ...below])
      if (await this.folderExists(path)) yield { folder: path, fingerprint: undefined, ...(await this.list(path)) };
  }

  async folderFingerprint(): Promise<undefined> {
    return undefined;
  }

  async renewFingerprint(): Promise<undefined> {
    return undefined;
  }

  async createFolder(folder: StoragePath): Promise<boolean> {
    if (await this.folderExists(folder)) return false;
    this.#addFolder(folder);
    return true;
  }

  async moveFolder(from: StoragePath, to: StoragePath): Promise<void> {
    if (!(await this.folderExists(from))) throw missing(from);
    if (isInside(to, from)) throw liesInside(to, from);
    if ((await this.folderExists(to)) || this.#files.has(to)) throw taken(to);
    this.#addFolder(parentOf(to));
    const renamed = (path: StoragePath) => (to + path.slice(from.length)) as StoragePath;
    for (const path of [...this.#folders].filter((folder) => isWithin(folder, from))) {
      this.#folders.delete(path);
      this.#folders.add(renamed(path));
    }
    for (const [path, blob] of [...this.#files].filter(([path]) => isWithin(path, from))) {
      this.#files.delete(path);
      this.#files.set(renamed(path), blob);
    }
  }

  async removeFolder(folder: StoragePath): Promise<boolean> {
    if (folder === ROOT) throw rootStays();
    if (!this.#folders.has(folder)) return false;
    for (const path of [...this.#folders]) if (isWithin(path, folder)) this.#folders.delete(path);
    for (const path of [...this.#files.keys()]) if (isWithin(path, folder)) this.#files.delete(path);
    return true;
  }

  /** Checks and changes synchronously: nothing else runs in between. */
  #put(path: StoragePath, blob: StoredBlob, { existing, signal }: WriteOptions): BlobStat {
    signal?.throwIfAborted();
    if (path === ROOT || this.#folders.has(path)) throw occupied('folder', path);
    if (existing === 'keep' && this.#files.has(path)) throw taken(path);
    this.#addFolder(parentOf(path));
    this.#files.set(path, blob);
    return blob.stat;
  }

  #addFolder(folder: StoragePath): void {
    if (folder === ROOT) return;
    if (this.#files.has(folder)) throw occupied('file', folder);
    this.#addFolder(parentOf(folder));
    this.#folders.add(folder);
  }

  #require(path: StoragePath): StoredBlob {
    const blob = this.#files.get(path);
    if (blob === undefined) throw missing(path);
    return blob;
  }

  #entries(wanted: (path: StoragePath) => boolean): BlobEntry[] {
    return [...this.#files]
      .filter(([path]) => wanted(path))
      .map(([path, { stat }]) => ({ path, ...stat }))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}

function newBlob(bytes: Buffer): StoredBlob {
  const now = new Date();
  return { bytes, stat: { size: bytes.length, etag: randomUUID(), createdAt: now, modifiedAt: now } };
}

function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) yield bytes.subarray(start, start + CHUNK_BYTES);
}

/** True for paths below the folder, excluding the folder itself. */
function isInside(path: StoragePath, folder: StoragePath): boolean {
  return path !== folder && isWithin(path, folder);
}
