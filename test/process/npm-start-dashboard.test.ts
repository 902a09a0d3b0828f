import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { descendantsOf, isAlive } from '../processes.ts';
import { makeCheckout } from './checkout.ts';
import { type ServiceProcess, spawnCommand, whenReady } from './service-process.ts';

/** Covers several starts, and builds with the lowest priority. */
const BUILDING_MS = 240_000;

let folder: string;
let checkout: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-npm-dashboard-'));
  checkout = await makeCheckout(folder, ['web', 'packages']);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const start = (settings: Record<string, string> = {}): Promise<ServiceProcess> =>
  // The service runs from the sources of the repository, and serves what is built there: only the build is checked
  // here.
  whenReady(spawnCommand(['npm', 'start'], { DATA_DIR: join(folder, 'data'), HOME: folder, ...settings }, checkout));

const built = () => readdir(join(checkout, 'web', 'dist')).catch(() => []);
const timeOf = async () => (await stat(join(checkout, 'web', 'dist', 'index.html'))).mtimeMs;

test(
  'npm start builds the dashboard beside the service, once, and again when its sources have changed',
  async () => {
    const first = await start();
    await expect.poll(built, { timeout: BUILDING_MS }).toContain('index.html');
    expect((await ask(first.url, '/livez')).status).toBe(200);
    expect(await readdir(join(checkout, 'web'))).not.toContain(expect.stringContaining('dist.new'));
    const files = await readdir(join(checkout, 'web', 'dist', 'assets'));
    expect(files.filter((file) => file.endsWith('.js.br')).length).toBeGreaterThan(0);
    const page = await readFile(join(checkout, 'web', 'dist', 'index.html'), 'utf8');
    for (const [, file = ''] of page.matchAll(/(?:src|href)="\.\/([^"]+)"/g))
      expect((await stat(join(checkout, 'web', 'dist', file))).size).toBeGreaterThan(0);
    await first.end('SIGTERM');

    const before = await timeOf();
    const second = await start();
    expect(await built()).toContain('index.html');
    await second.end('SIGTERM');
    expect(await timeOf()).toBe(before);

    await writeFile(join(checkout, 'web', 'public', 'mark.svg'), '<svg/>\n');
    const third = await start();
    await expect.poll(built, { timeout: BUILDING_MS }).toContain('index.html');
    expect(await readFile(join(checkout, 'web', 'dist', 'mark.svg'), 'utf8')).toBe('<svg/>\n');
    await third.end('SIGTERM');
  },
  BUILDING_MS,
);

test(
  'a build that fails is said aloud and stops nothing',
  async () => {
    await writeFile(join(checkout, 'web', 'src', 'main.tsx'), 'this is no program');
    const service = await start();
    await expect
      .poll(service.stderr, { timeout: BUILDING_MS })
      .toContain('There is no dashboard: see above. Everything else works without it.');
    expect((await ask(service.url, '/livez')).status).toBe(200);
    expect(await built()).toEqual([]);
    await service.end('SIGTERM');
  },
  BUILDING_MS,
);

test(
  'a service that ends takes the build with it, and MODE=api builds none',
  async () => {
    const service = await start();
    const processes = [service.pid, ...(await descendantsOf(service.pid))];
    await service.end('SIGTERM');
    expect((await Promise.all(processes.map(isAlive))).filter(Boolean)).toEqual([]);
    const bare = await start({ MODE: 'api' });
    expect(await built()).toEqual([]);
    await bare.end('SIGTERM');
    expect(bare.stderr()).not.toContain('dashboard');
  },
  BUILDING_MS,
);
