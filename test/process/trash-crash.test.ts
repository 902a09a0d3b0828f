import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { picture } from '../library.ts';
import { killAt } from './kill-at.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

const API_KEY = 'k'.repeat(40);

let data: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'darkroom-trash-crash-'));
});
afterEach(() => rm(data, { recursive: true, force: true }));

const start = (options = '') =>
  startServiceProcess({ DATA_DIR: data, API_KEY, RENDER_WORKERS: '1', ...(options && { NODE_OPTIONS: options }) });

const call = ({ url }: ServiceProcess, method: string, path: string, body?: Buffer) =>
  ask(url, path, { method, headers: { 'x-api-key': API_KEY }, ...(body && { body }) });

async function upload({ url }: ServiceProcess, path: string): Promise<void> {
  const [name = '', folder = ''] = path.split('/').reverse();
  const form = new FormData();
  form.append('folder', folder);
  form.append('files', new Blob([picture(path) as Uint8Array<ArrayBuffer>]), name);
  const answer = await fetch(`${url}/upload`, { method: 'POST', body: form, headers: { 'x-api-key': API_KEY } });
  expect(answer.status).toBe(200);
}

/** Returns every file in a folder of the data folder, by the name of its upload. */
async function contents(folder: 'originals' | 'attic'): Promise<Record<string, string>> {
  const root = join(data, folder);
  const found: Record<string, string> = {};
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile())
      found[(await readFile(file)).subarray(picture().length).toString()] = file.slice(root.length + 1);
  }
  return found;
}

interface Item {
  id: string;
  path: string;
  kind: string;
}
const items = async (service: ServiceProcess) =>
  ((await call(service, 'GET', '/trash')).json().items as Item[]).map(({ id, path, kind }) => ({ id, path, kind }));

interface Crash {
  at: string;
  /** Contents of the trash after the next start. */
  trashed: string[];
}

const ATTIC = /attic\/[0-9a-f-]{36}$/;

/** Deletions, each of `a.png` or of the folder `tour`. */
const DELETIONS: Record<string, Crash & { path: string }> = {
  'a file, before it moves': { at: killAt('rename', 'before', /originals\/a\.png$/), path: 'a.png', trashed: [] },
  'a file, after it has moved': {
    at: killAt('rename', 'after', /originals\/a\.png$/),
    path: 'a.png',
    trashed: ['a.png'],
  },
  'a folder, before it moves': { at: killAt('rename', 'before', /originals\/tour$/), path: 'tour', trashed: ['a.png'] },
  'a folder, after it has moved': {
    at: killAt('rename', 'after', /originals\/tour$/),
    path: 'tour',
    trashed: ['tour', 'a.png'],
  },
};

/** Restorations of what the deletions left in the trash. */
const RESTORATIONS: Record<string, Crash & { path: string }> = {
  'a file, before its first step': { at: killAt('link', 'before', ATTIC), path: 'a.png', trashed: ['tour', 'a.png'] },
  'a file, between its steps': { at: killAt('link', 'after', ATTIC), path: 'a.png', trashed: ['tour'] },
  'a folder, before it moves': { at: killAt('rename', 'before', ATTIC), path: 'tour', trashed: ['tour'] },
  'a folder, after it has moved': { at: killAt('rename', 'after', ATTIC), path: 'tour', trashed: [] },
};

const UPLOADED = ['a.png', 'b.png', 'tour/x.png'];

test('whoever deletes into the trash or brings back when the service is killed finds the file or the item, never neither', async () => {
  const first = await start();
  for (const path of UPLOADED) await upload(first, path);
  await first.end('SIGTERM');
  let last: Crash = { at: '', trashed: [] };
  async function expectState(service: ServiceProcess, what: string): Promise<void> {
    const paths = async () => (await items(service)).map(({ path }) => path);
    await expect.poll(paths, { message: `after ${what}` }).toEqual(last.trashed);
    const gone = UPLOADED.filter((path) => last.trashed.some((one) => path === one || path.startsWith(`${one}/`)));
    const originals = await contents('originals');
    const retention = await contents('attic');
    expect({ originals, retention: Object.keys(retention).toSorted() }, `after ${what}`).toEqual({
      originals: Object.fromEntries(UPLOADED.filter((path) => !gone.includes(path)).map((path) => [path, path])),
      retention: gone,
    });
  }

  let before = 'the uploads';
  for (const [what, crash] of Object.entries(DELETIONS)) {
    const service = await start(crash.at);
    await expectState(service, before);
    const answer = call(service, 'DELETE', `/storage/${crash.path}?trash=true&recursive=true`);
    await expect(answer, what).rejects.toThrow();
    expect(await service.exited, what).toMatchObject({ signal: 'SIGKILL' });
    last = crash;
    before = what;
  }
  for (const [what, crash] of Object.entries(RESTORATIONS)) {
    const service = await start(crash.at);
    await expectState(service, before);
    const { id } = (await items(service)).find(({ path }) => path === crash.path) ?? {};
    await expect(call(service, 'POST', `/trash/${id}/restore`), what).rejects.toThrow();
    expect(await service.exited, what).toMatchObject({ signal: 'SIGKILL' });
    last = crash;
    before = what;
  }
  const service = await start();
  await expectState(service, before);
  for (const path of UPLOADED) expect((await ask(service.url, `/t/${path}`)).body).toEqual(picture(path));
  await service.end('SIGTERM');
}, 180_000);

test('a replacement that is killed leaves the old file, or the new one and the old one as a version', async () => {
  const first = await start();
  await upload(first, 'a.png');
  await first.end('SIGTERM');
  const REPLACEMENTS = {
    'before the bytes are kept': [killAt('link', 'before', /originals\/a\.png$/), 'a.png', 0],
    'after the bytes are kept': [killAt('link', 'after', /originals\/a\.png$/), 'a.png', 0],
    'before the new ones take their place': [killAt('rename', 'before', /tmp\/[^/]*\/[0-9a-f-]{36}$/), 'a.png', 1],
    'after the new ones have taken their place': [killAt('rename', 'after', /tmp\/[^/]*\/[0-9a-f-]{36}$/), 'new', 2],
  } as const;
  for (const [what, [at, content, versions]] of Object.entries(REPLACEMENTS)) {
    const service = await start(at);
    await expect(call(service, 'PUT', '/storage/a.png', picture('new')), what).rejects.toThrow();
    expect(await service.exited, what).toMatchObject({ signal: 'SIGKILL' });
    const after = await start();
    expect((await ask(after.url, '/t/a.png')).body, what).toEqual(picture(content));
    const list = (await call(after, 'GET', '/storage/a.png/versions')).json().versions as { id: string }[];
    expect(list, what).toHaveLength(versions);
    for (const { id } of list)
      expect((await call(after, 'GET', `/storage/a.png/versions/${id}`)).body, what).toEqual(picture('a.png'));
    await after.end('SIGTERM');
  }
}, 180_000);
