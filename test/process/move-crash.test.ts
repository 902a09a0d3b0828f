import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { picture } from '../library.ts';
import { killAt } from './kill-at.ts';
import { startServiceProcess } from './service-process.ts';

const API_KEY = 'k'.repeat(40);

let data: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'darkroom-move-crash-'));
});
afterEach(() => rm(data, { recursive: true, force: true }));

const start = (options = '') =>
  startServiceProcess({ DATA_DIR: data, API_KEY, RENDER_WORKERS: '1', ...(options && { NODE_OPTIONS: options }) });

const call = (url: string, method: string, path: string, body: unknown) =>
  ask(url, path, {
    method,
    headers: { 'x-api-key': API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

async function upload(url: string, path: string): Promise<Response> {
  const [name = '', folder = ''] = path.split('/').reverse();
  const form = new FormData();
  form.append('folder', folder);
  form.append('files', new Blob([picture(path) as Uint8Array<ArrayBuffer>]), name);
  return fetch(`${url}/upload`, { method: 'POST', body: form, headers: { 'x-api-key': API_KEY } });
}

/** Returns every original by its path, with the name of its upload. */
async function originals(): Promise<Record<string, string>> {
  const root = join(data, 'originals');
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const found: Record<string, string> = {};
  for (const entry of entries.filter((one) => one.isFile())) {
    const file = join(entry.parentPath, entry.name);
    found[file.slice(root.length + 1)] = (await readFile(file)).subarray(picture().length).toString();
  }
  return found;
}

/** Lists unfinished moves and uploads. */
async function leftOvers(): Promise<string[]> {
  const [own = '', ...others] = await readdir(join(data, 'tmp'));
  return [...others, ...(await readdir(join(data, 'tmp', own)))];
}

interface Crash {
  /** The step at which the process is killed. */
  at: string;
  asking: readonly [method: string, path: string, body: unknown] | { upload: string };
  /** New paths of the affected name; copies and uploads are added. */
  changes: Record<string, string | undefined>;
}

const rename = (name: string) => ['PATCH', `/storage/trip/${name}.png`, { name: `${name}-new.png` }] as const;
const move = (name: string) => ['POST', `/storage/trip/${name}.png/move`, { destination: 'other' }] as const;
const copy = (name: string) => ['POST', `/storage/trip/${name}.png/copy`, { destination: 'other' }] as const;
const moved = (name: string, to: string) => ({ [`trip/${name}.png`]: undefined, [to]: `trip/${name}.png` });

const CRASHES: Record<string, Crash> = {
  'a rename before its first step': { at: killAt('link', 'before', /a\.png$/), asking: rename('a'), changes: {} },
  'a rename between its steps': {
    at: killAt('link', 'after', /b\.png$/),
    asking: rename('b'),
    changes: moved('b', 'trip/b-new.png'),
  },
  'a rename after its steps': {
    at: killAt('unlink', 'after', /c\.png$/),
    asking: rename('c'),
    changes: moved('c', 'trip/c-new.png'),
  },
  'a move between its steps': {
    at: killAt('unlink', 'before', /d\.png$/),
    asking: move('d'),
    changes: moved('d', 'other/d.png'),
  },
  'a copy before its step': { at: killAt('link', 'before', /tmp/), asking: copy('e'), changes: {} },
  'a copy after its step': {
    at: killAt('link', 'after', /tmp/),
    asking: copy('e'),
    changes: { 'other/e.png': 'trip/e.png' },
  },
  'an upload before its step': { at: killAt('link', 'before', /tmp/), asking: { upload: 'trip/f.png' }, changes: {} },
  'an upload after its step': {
    at: killAt('link', 'after', /tmp/),
    asking: { upload: 'trip/f.png' },
    changes: { 'trip/f.png': 'trip/f.png' },
  },
  'a rename of a folder before its step': {
    at: killAt('rename', 'before', /tour$/),
    asking: ['PATCH', '/storage/tour', { name: 'journey' }],
    changes: {},
  },
  'a rename of a folder after its step': {
    at: killAt('rename', 'after', /tour$/),
    asking: ['PATCH', '/storage/tour', { name: 'journey' }],
    changes: { 'tour/x.png': undefined, 'journey/x.png': 'tour/x.png' },
  },
};

test('whatever is under way when the process is killed, after the next start every file has one name', async () => {
  const first = await start();
  let expected: Record<string, string | undefined> = {};
  for (const path of [...['a', 'b', 'c', 'd', 'e'].map((name) => `trip/${name}.png`), 'tour/x.png']) {
    expect((await upload(first.url, path)).status).toBe(200);
    expected[path] = path;
  }
  await first.end('SIGTERM');
  let last = 'the uploads';
  const expectOriginals = async () => {
    const present = Object.fromEntries(Object.entries(expected).filter(([, name]) => name !== undefined));
    expect({ originals: await originals(), leftOvers: await leftOvers() }, `after ${last}`).toEqual({
      originals: present,
      leftOvers: [],
    });
  };

  for (const [what, { at, asking, changes }] of Object.entries(CRASHES)) {
    // Each start finds the state left by the crash before it.
    const service = await start(at);
    await expectOriginals();
    const answer = 'upload' in asking ? upload(service.url, asking.upload) : call(service.url, ...asking);
    await expect(answer, what).rejects.toThrow();
    expect(await service.exited, what).toMatchObject({ signal: 'SIGKILL' });
    expected = { ...expected, ...changes };
    last = what;
  }

  const service = await start();
  await expectOriginals();
  for (const [path, name] of Object.entries(expected)) {
    expect((await ask(service.url, `/t/${path}`)).status, path).toBe(name === undefined ? 404 : 200);
  }
  await service.end('SIGTERM');
}, 180_000);
