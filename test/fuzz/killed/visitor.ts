import { hash } from 'node:crypto';
import { picture } from '../../library.ts';
import { TEST_KEY } from '../../service.ts';
import type { Random } from '../seeded-random.ts';
import { type Doubt, EMPTY, type Shelf, type Stored } from './shelf.ts';

/** One request that changes something, and the expected state after its response. */
interface Act {
  method: string;
  path: string;
  body?: unknown;
  after: Shelf;
  isFinal?: boolean;
}

const TAGS = ['red', 'green', 'blue', 'old', 'new'];
const MAX_FILES = 40;
const ANSWER_MS = 60_000;

export const HEADERS = { authorization: `Bearer ${TEST_KEY}` };

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/'));
const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
const isIn = (path: string, folder: string) => path.startsWith(`${folder}/`);

/** A client with a folder that makes one change after another and records the acknowledged ones. */
export class Visitor {
  readonly problems: string[] = [];
  shelf = EMPTY;
  /** The last request without a response. */
  doubt: Doubt | undefined;
  answered = 0;
  readonly folder: string;
  readonly #random: Random;
  #made = 0;

  constructor(folder: string, random: Random) {
    this.folder = folder;
    this.#random = random;
  }

  /** Runs until the service is killed. */
  async run(url: string): Promise<void> {
    while (!this.doubt) {
      const act = this.#choose(await this.#trashed(url));
      if (!act) continue;
      const what = `${act.method} ${act.path} ${act.body instanceof FormData || Buffer.isBuffer(act.body) ? '' : JSON.stringify(act.body ?? '')}`;
      this.doubt = { what, after: act.after, isFinal: act.isFinal ?? false };
      const response = await request(url, act).catch(() => undefined);
      if (!response) return;
      if (response.status >= 300) this.problems.push(`${what} was answered with ${response.status} ${response.text}`);
      else this.shelf = act.after;
      // A rejected change was not made.
      this.doubt = undefined;
      this.answered++;
    }
  }

  /** Returns the ids of the trash, by path. */
  async #trashed(url: string): Promise<Map<string, string>> {
    if (this.shelf.trash.size === 0) return new Map();
    const items = await trashItems(url).catch(() => []);
    return new Map(items.map(({ path, id }) => [path, id]));
  }

  #choose(ids: ReadonlyMap<string, string>): Act | undefined {
    const random = this.#random;
    const files = [...this.shelf.files.keys()];
    const path = files.length === 0 ? undefined : random.pick(files);
    if (path === undefined || (files.length < MAX_FILES && random.below(4) === 0)) return this.#upload();
    if (files.length > MAX_FILES) return this.#removal(path, false);
    const acts: (() => Act | undefined)[] = [
      () => this.#relocation(path, `${folderOf(path)}/${this.#name('renamed', '.png')}`, 'PATCH'),
      () => this.#relocation(path, `${this.#someFolder()}/${nameOf(path)}`, 'move'),
      () => this.#relocation(path, `${this.#someFolder()}/${nameOf(path)}`, 'copy'),
      () => this.#replacement(path),
      () => this.#words(path),
      () => this.#words(path),
      () => this.#removal(path, true),
      () => this.#removal(path, false),
      () => this.#folderRename(folderOf(path)),
      () => (random.below(3) === 0 ? this.#folderRemoval(folderOf(path)) : undefined),
      () => this.#restoration(ids),
      () => this.#restoration(ids),
    ];
    return random.pick(acts)();
  }

  #name(what: string, ending = ''): string {
    return `${what}-${this.#made++}${ending}`;
  }

  #someFolder(): string {
    const folders = [...new Set([...this.shelf.files.keys()].map(folderOf))];
    if (folders.length < 4 || this.#random.below(8) === 0) return `${this.folder}/${this.#name('folder')}`;
    return this.#random.pick(folders);
  }

  #bytes(): { bytes: Buffer; stored: Stored } {
    const bytes = picture(`${this.folder} ${this.#made++}`);
    return { bytes, stored: { digest: hash('sha256', bytes), size: bytes.length, alt: null, tags: [] } };
  }

  #upload(): Act {
    const { bytes, stored } = this.#bytes();
    const folder = this.#someFolder();
    const name = this.#name('picture', '.png');
    const body = new FormData();
    body.append('folder', folder);
    body.append('files', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
    const after = { ...this.shelf, files: new Map(this.shelf.files).set(`${folder}/${name}`, stored) };
    return { method: 'POST', path: '/upload', body, after };
  }

  #relocation(from: string, to: string, how: 'PATCH' | 'move' | 'copy'): Act | undefined {
    if (this.shelf.files.has(to)) return undefined;
    const files = new Map(this.shelf.files);
    const versions = new Map(this.shelf.versions);
    files.set(to, files.get(from) as Stored);
    // A file that was there before had other versions.
    versions.delete(to);
    if (how !== 'copy') {
      files.delete(from);
      versions.set(to, versions.get(from) ?? 0);
      versions.delete(from);
    }
    const after = { ...this.shelf, files, versions };
    if (how === 'PATCH') return { method: 'PATCH', path: `/storage/${from}`, body: { name: nameOf(to) }, after };
    return { method: 'POST', path: `/storage/${from}/${how}`, body: { destination: folderOf(to) }, after };
  }

  #replacement(path: string): Act {
    const { bytes, stored } = this.#bytes();
    const before = this.shelf.files.get(path) as Stored;
    const { digest, size } = stored;
    const files = new Map(this.shelf.files).set(path, { ...before, digest, size });
    const versions = new Map(this.shelf.versions).set(path, (this.shelf.versions.get(path) ?? 0) + 1);
    const after = { ...this.shelf, files, versions };
    return { method: 'PUT', path: `/storage/${path}`, body: bytes, after, isFinal: true };
  }

  #words(path: string): Act {
    const tags = TAGS.filter(() => this.#random.below(3) === 0).sort();
    const alt = `word${this.#made++}x of ${this.folder}`;
    const files = new Map(this.shelf.files);
    files.set(path, { ...(files.get(path) as Stored), alt, tags });
    return { method: 'PATCH', path: `/assets/${path}`, body: { alt, tags }, after: { ...this.shelf, files } };
  }

  #removal(path: string, isForTrash: boolean): Act | undefined {
    // The shelf knows one item of each path.
    if (isForTrash && this.shelf.trash.has(path)) return undefined;
    const files = new Map(this.shelf.files);
    const trash = new Map(this.shelf.trash);
    if (isForTrash) trash.set(path, new Map([[path, files.get(path) as Stored]]));
    files.delete(path);
    const after = { ...this.shelf, files, trash };
    return {
      method: 'DELETE',
      path: `/storage/${path}${isForTrash ? '?trash=true' : ''}`,
      after,
      isFinal: !isForTrash,
    };
  }

  #folderRename(folder: string): Act {
    const to = `${this.folder}/${this.#name('folder')}`;
    const renamed = (path: string) => (isIn(path, folder) ? to + path.slice(folder.length) : path);
    const files = new Map([...this.shelf.files].map(([path, stored]) => [renamed(path), stored]));
    const versions = new Map([...this.shelf.versions].map(([path, count]) => [renamed(path), count]));
    const after = { ...this.shelf, files, versions };
    return { method: 'PATCH', path: `/storage/${folder}`, body: { name: nameOf(to) }, after };
  }

  #folderRemoval(folder: string): Act {
    const isForTrash = this.#random.below(3) > 0 && !this.shelf.trash.has(folder);
    const files = new Map(this.shelf.files);
    const trash = new Map(this.shelf.trash);
    const gone = new Map<string, Stored>();
    for (const [path, stored] of this.shelf.files)
      if (isIn(path, folder)) {
        gone.set(path, stored);
        files.delete(path);
      }
    if (isForTrash) trash.set(folder, gone);
    const after = { ...this.shelf, files, trash };
    const path = `/storage/${folder}?recursive=true${isForTrash ? '&trash=true' : ''}`;
    return { method: 'DELETE', path, after, isFinal: !isForTrash };
  }

  #restoration(ids: ReadonlyMap<string, string>): Act | undefined {
    const trash = new Map(this.shelf.trash);
    const item = [...trash].find(([path, files]) => {
      const isFree = [...this.shelf.files.keys()].every((one) => !files.has(one) && !isIn(one, path));
      return ids.has(path) && isFree;
    });
    if (!item) return undefined;
    const [path, files] = item;
    trash.delete(path);
    const after = { ...this.shelf, trash, files: new Map([...this.shelf.files, ...files]) };
    return { method: 'POST', path: `/trash/${ids.get(path)}/restore`, after };
  }
}

async function request(url: string, { method, path, body }: Act): Promise<{ status: number; text: string }> {
  const isJson = body !== undefined && !(body instanceof FormData) && !Buffer.isBuffer(body);
  const type = isJson ? { 'content-type': 'application/json' } : { 'content-type': 'image/png' };
  const headers = { ...HEADERS, ...(body !== undefined && !(body instanceof FormData) && type) };
  const sent = isJson ? JSON.stringify(body) : (body as FormData | Buffer<ArrayBuffer> | undefined);
  const signal = AbortSignal.timeout(ANSWER_MS);
  const response = await fetch(url + path, { method, headers, signal, ...(sent !== undefined && { body: sent }) });
  return { status: response.status, text: await response.text() };
}

/** Returns the whole contents of the trash. */
export async function trashItems(url: string): Promise<{ id: string; path: string }[]> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  const response = await fetch(`${url}/trash?limit=1000`, { headers: HEADERS, signal });
  const { items } = (await response.json()) as { items: { id: string; path: string }[] };
  return items;
}
