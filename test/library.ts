import { expect } from 'vitest';
import type { Description } from '../src/catalog/records.ts';
import { parsePath, ROOT } from '../src/path.ts';
import { inParallel } from '../src/storage/in-parallel.ts';
import { described } from './contracts/catalog/bench.ts';
import { type Answer, type Asking, ask, askJson, fixture } from './http.ts';
import { startService, TEST_KEY, type TestService } from './service.ts';

/** Number of files that are removed in parallel: requests of a bucket take long. */
const concurrency = () => (process.env.DARKROOM_TEST_BUCKET === undefined ? 1 : 8);

/** Returns a small image that every upload accepts; the appended marker makes it unique. */
export function picture(mark = ''): Buffer {
  return Buffer.concat([fixture('flag-alpha.png'), Buffer.from(mark)]);
}

export interface LibraryService extends TestService {
  /** Requests a path exactly as written, with the API key; a body other than text or bytes is sent as JSON. */
  call(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Stores a unique image at each path. */
  store(...paths: string[]): Promise<void>;
  /** Requests like `call`, and expects this status and JSON. */
  expectAnswer(method: string, path: string, body: unknown, status: number, answer: unknown): Promise<void>;
  /** Removes all files, folders and variants. */
  clear(): Promise<void>;
  /** Paths of all files, sorted. */
  files(): Promise<string[]>;
}

export async function startLibrary(environment: Record<string, string> = {}): Promise<LibraryService> {
  const service = await startService(environment);
  const { originals, library, variants } = service.services;
  const call: LibraryService['call'] = (method, path, body) => {
    const asking: Asking = { method, headers: { 'x-api-key': TEST_KEY } };
    if (typeof body === 'string' || body instanceof Uint8Array) return ask(service.url, path, { ...asking, body });
    return askJson(service.url, method, path, body, asking.headers);
  };
  return {
    ...service,
    call,
    async expectAnswer(method, path, body, status, answer) {
      const response = await call(method, path, body);
      expect({ status: response.status, body: response.json() }).toEqual({ status, body: answer });
    },
    async store(...paths) {
      for (const path of paths) {
        const [name = '', ...folders] = path.split('/').reverse();
        const form = new FormData();
        form.append('folder', folders.reverse().join('/'));
        form.append('files', new Blob([picture(path) as Uint8Array<ArrayBuffer>]), name);
        const response = await service.authorized('/upload', { method: 'POST', body: form });
        if (response.status !== 200) throw new Error(await response.text());
      }
    },
    async clear() {
      const { folders, files } = await originals.store.list(ROOT);
      const paths = [...folders, ...files.map((file) => file.path)];
      await inParallel(paths, concurrency(), async (path) => void (await library.remove(path, { recursive: true })));
      await variants.clear();
    },
    async files() {
      const found: string[] = [];
      for await (const { path } of originals.store.walk(ROOT)) found.push(path);
      return found.sort();
    },
  };
}

/** Describes a file like the describer. */
export async function describeAs(
  { services: { catalog } }: Pick<TestService, 'services'>,
  path: string,
  facts: Partial<Description>,
): Promise<void> {
  const found = await catalog.files.find(parsePath(path));
  if (!found) throw new Error(`There is no row of ${path}.`);
  expect(await catalog.descriptions.store(found.id, found.etag, described(facts))).toBe(true);
}

/** A time in the format of the API. */
export const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** Returns the expected body of an error. */
export function problem(error: string, code: string = expect.any(String)) {
  return { error, code, message: expect.any(String) };
}
