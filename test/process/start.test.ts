import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { childrenOf, commandOf } from '../processes.ts';
import { spawnService, startServiceProcess } from './service-process.ts';

let data: string;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'darkroom-process-'));
});
afterAll(() => rm(data, { recursive: true, force: true }));

const keysIn = (output: string) => [...output.matchAll(/^API Key: (.*)$/gm)].map(([, key]) => key ?? '');

async function upload(url: string, key: string): Promise<Response> {
  const form = new FormData();
  form.append('files', new Blob([fixture('flag-alpha.png') as Uint8Array<ArrayBuffer>]), 'flag.png');
  return fetch(`${url}/upload`, { method: 'POST', body: form, headers: { authorization: `Bearer ${key}` } });
}

test('the first start prints one working key, once over all starts, and each start announces the base URL', async () => {
  const first = await startServiceProcess({ DATA_DIR: data });
  const keys = keysIn(first.stdout());
  expect(keys).toEqual([expect.stringMatching(/^\S{64}$/)]);
  const port = new URL(first.url).port;
  expect(first.stdout()).toContain(`http://localhost:${port}`);
  expect((await upload(first.url, keys[0] ?? '')).status).toBe(200);
  expect(await first.end('SIGTERM')).toEqual({ code: 0, signal: null });

  const second = await startServiceProcess({ DATA_DIR: data, PUBLIC_URL: 'https://media.example.org/' });
  expect(keysIn(second.stdout())).toEqual([]);
  expect(second.stdout()).toContain('https://media.example.org');
  const answer = (await (await upload(second.url, keys[0] ?? '')).json()) as { files: { url: string }[] };
  expect(answer.files[0]?.url).toBe('https://media.example.org/t/flag%20(1).png');
  expect(await second.end('SIGINT')).toEqual({ code: 0, signal: null });
  expect(first.stderr() + second.stderr()).toBe('');
});

test('a key from the environment works and is not printed', async () => {
  const own = await mkdtemp(join(data, 'own-'));
  const key = 'k'.repeat(40);
  const service = await startServiceProcess({ DATA_DIR: own, API_KEY: key });
  expect((await upload(service.url, key)).status).toBe(200);
  await service.end('SIGTERM');
  expect(service.stdout() + service.stderr()).not.toContain(key);
  expect(keysIn(service.stdout())).toEqual([]);
});

test('wrong variables end the start with 1 and one line each: name, what was expected, what was received', async () => {
  const wrong = {
    PORT: 'eighty',
    MODE: 'half',
    LOG_LEVEL: 'loud',
    API_KEY: 'short',
    ADMIN_EMAIL: 'nobody',
    ADMIN_PASSWORD: 'x',
    MAX_FILE_SIZE_MB: '0',
  };
  for (const args of [[], ['--check-config']]) {
    const service = spawnService({ DATA_DIR: data, ...wrong }, args);
    expect(await service.exited).toEqual({ code: 1, signal: null });
    expect(service.stdout()).toBe('');
    const lines = service.stderr().trimEnd().split('\n');
    expect(lines.map((line) => line.split(':')[0]).sort()).toEqual(Object.keys(wrong).sort());
    for (const line of lines) expect(line).toMatch(/^[A-Z_]+: expected .+, received .+$/);
    expect(service.stderr()).toContain('"eighty"');
    expect(service.stderr()).not.toContain('"short"');
  }
});

test('--check-config validates, touches nothing and ends with 0', async () => {
  const untouched = join(data, 'untouched');
  const service = spawnService({ DATA_DIR: untouched }, ['--check-config']);
  expect(await service.exited).toEqual({ code: 0, signal: null });
  expect(service.stderr()).toBe('');
  expect(await readdir(data)).not.toContain('untouched');
});

test('a start that fails because its port is taken prints no key and no token; the next one prints both', async () => {
  const own = join(data, 'late');
  const first = await startServiceProcess({ DATA_DIR: data });
  const second = spawnService({ DATA_DIR: own, PORT: new URL(first.url).port });
  expect(await second.exited).toEqual({ code: 1, signal: null });
  expect(second.stdout()).not.toMatch(/^(API Key|Setup token):/m);
  await first.end('SIGTERM');
  const third = await startServiceProcess({ DATA_DIR: own });
  expect(third.stdout()).toMatch(/^Setup token: \S{32}$/m);
  const [key = ''] = keysIn(third.stdout());
  expect((await upload(third.url, key)).status).toBe(200);
  await third.end('SIGTERM');
});

test('a port that is taken and a data folder that is a file end the start with 1 and one line', async () => {
  const first = await startServiceProcess({ DATA_DIR: data });
  const second = spawnService({
    DATA_DIR: join(data, 'second'),
    PORT: new URL(first.url).port,
    API_KEY: 'k'.repeat(40),
  });
  expect(await second.exited).toEqual({ code: 1, signal: null });
  expect(second.stderr()).toMatch(/^Darkroom cannot start: .*EADDRINUSE.*\n$/);
  await first.end('SIGTERM');
  await mkdir(join(data, 'files'));
  await writeFile(join(data, 'files', 'file'), '');
  const third = spawnService({ DATA_DIR: join(data, 'files', 'file') });
  expect(await third.exited).toEqual({ code: 1, signal: null });
  expect(third.stderr()).toMatch(/^Darkroom cannot start: .*\n$/);
});

test.each(['/proc/darkroom', '/proc/darkroom/media', '/proc'])(
  'a data folder that its file system does not make (%s) ends the start, and its check, with 1 and one line',
  async (folder) => {
    const service = spawnService({ DATA_DIR: folder });
    expect(await service.exited).toEqual({ code: 1, signal: null });
    expect(service.stderr()).toBe(
      `Darkroom cannot start: DATA_DIR: ${folder} lies on a file system that takes no files\n`,
    );
    const check = spawnService({ DATA_DIR: folder }, ['--check-config=deep']);
    expect(await check.exited).toEqual({ code: 1, signal: null });
    expect(check.stderr()).toBe(`folder: DATA_DIR: ${folder} lies on a file system that takes no files\n`);
  },
);

test('folders below the data folder are for their owner alone, also those of an earlier version; so is the database', async () => {
  const own = join(data, 'private');
  await mkdir(join(own, 'originals', 'old'), { recursive: true, mode: 0o755 });
  await writeFile(join(own, 'originals', 'old', 'flag.png'), fixture('flag-alpha.png'));
  const service = await startServiceProcess({ DATA_DIR: own, API_KEY: 'k'.repeat(40) });
  expect((await ask(service.url, '/t/w_20/old/flag.png')).status).toBe(200);
  expect((await upload(service.url, 'k'.repeat(40))).status).toBe(200);
  const mode = async (name: string) => ((await stat(join(own, name))).mode & 0o777).toString(8);
  for (const name of ['originals', 'variants', 'tmp']) expect(await mode(name), name).toBe('700');
  for (const name of ['darkroom.db', 'darkroom.db-wal', 'originals/flag.png'])
    expect(await mode(name), name).toBe('600');
  const made = await readdir(join(own, 'variants'), { withFileTypes: true });
  for (const { name } of made) expect(await mode(join('variants', name))).toBe('700');
  await service.end('SIGTERM');
});

test('two services may share a data folder, and neither removes the temporary files of the other', async () => {
  const both = join(data, 'both');
  const first = await startServiceProcess({ DATA_DIR: both });
  const second = await startServiceProcess({ DATA_DIR: both });
  expect(await readdir(join(both, 'tmp'))).toHaveLength(2);
  for (const { url } of [first, second]) expect((await ask(url, '/health')).status).toBe(200);
  await Promise.all([first.end('SIGTERM'), second.end('SIGTERM')]);
});

async function countWorkers(pid: number): Promise<number> {
  const commands = await Promise.all((await childrenOf(pid)).map(commandOf));
  return commands.filter((command) => command.includes('render/worker.ts')).length;
}

test.each([
  ['one that renders is there', {}, 1],
  ['all that render and stay are there', { RENDER_WORKER_IDLE_MS: '0' }, 3],
])('of the workers, %s before the first image is requested', async (_which, environment, count) => {
  const folder = join(data, `workers-${count}`);
  const service = await startServiceProcess({ DATA_DIR: folder, RENDER_WORKERS: '3', ...environment });
  expect(await countWorkers(service.pid)).toBe(count);
  await service.end('SIGTERM');
});

test('an idle service has no worker, and each image and burst after that is rendered', async () => {
  const key = 'k'.repeat(40);
  const environment = { DATA_DIR: join(data, 'idle'), API_KEY: key, RENDER_WORKERS: '3', RENDER_WORKER_IDLE_MS: '100' };
  const service = await startServiceProcess(environment);
  const noWorkers = () => expect.poll(() => countWorkers(service.pid), { timeout: 30_000, interval: 20 }).toBe(0);
  expect((await upload(service.url, key)).status).toBe(200);
  let width = 0;
  for (let round = 0; round < 3; round++) {
    await noWorkers();
    const images = Array.from({ length: round === 0 ? 1 : 12 }, () => ask(service.url, `/t/w_${++width}/flag.png`));
    for (const { status } of await Promise.all(images)) expect(status).toBe(200);
  }
  await noWorkers();
  expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
});
