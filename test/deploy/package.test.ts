import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { runNpm } from '../packages.ts';
import { makeCheckout } from '../process/checkout.ts';
import { filesBelow } from '../process/image.ts';
import { spawnCommand, whenReady } from '../process/service-process.ts';
import { ROOT } from '../source-files.ts';

const run = promisify(execFile);
const API_KEY = 'k'.repeat(40);
const BUILDING_MS = 300_000;
const MEGABYTE = 1024 * 1024;

let folder: string;
/** An empty project with the package installed. */
let project: string;
let archive: string;
let installed: string;
let command: string;
let dependencies: Record<string, { version: string }>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-package-'));
  const built = ['web', 'packages', 'bin', 'tsconfig.json', 'tsconfig.build.json'];
  const more = [...built, 'docs', 'llms.txt', 'README.md', 'LICENSE'];
  const checkout = await makeCheckout(folder, more);
  await run('node', ['scripts/package.mjs', folder], { cwd: checkout, env: withPrograms(process.env) });
  const [name = ''] = (await readdir(folder)).filter((file) => file.endsWith('.tgz'));
  archive = join(folder, name);
  project = join(folder, 'project');
  await mkdir(project);
  // Without it npm takes the nearest folder above that has one.
  await writeFile(join(project, 'package.json'), '{ "private": true }');
  dependencies = await resolveDependencies();
  await install();
}, BUILDING_MS);
afterAll(() => rm(folder, { recursive: true, force: true }));

const withPrograms = (env: NodeJS.ProcessEnv) => ({ ...env, PATH: `${join(ROOT, 'node_modules/.bin')}:${env.PATH}` });

/** Returns the dependencies that npm would install for the package, by location. */
async function resolveDependencies() {
  await runNpm(project, 'install', '--package-lock-only', archive);
  return JSON.parse(await readFile(join(project, 'package-lock.json'), 'utf8')).packages;
}

/** Installs like npm, but links packages that are already installed here. */
async function install() {
  installed = join(project, 'node_modules', 'darkroom');
  await mkdir(join(project, 'node_modules', '.bin'), { recursive: true });
  await mkdir(installed);
  await run('tar', ['-xzf', archive, '--strip-components=1', '-C', installed]);
  const { bin } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  command = join(project, 'node_modules', '.bin', 'darkroom');
  await symlink(join(installed, bin.darkroom), command);
  for (const place of Object.keys(dependencies)) {
    const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(place) ?? [];
    if (name === undefined || name === 'darkroom') continue;
    await mkdir(dirname(join(project, place)), { recursive: true });
    await symlink(join(ROOT, place), join(project, place));
  }
}

function start(args: readonly string[] = [], settings: Record<string, string> = {}) {
  return spawnCommand([command, ...args], { API_KEY, ...settings }, project);
}

async function outcomeOf(...args: string[]) {
  const child = start(args);
  const { code } = await child.exited;
  return { code, stdout: child.stdout(), stderr: child.stderr() };
}

describe('the package of the service', () => {
  test('is small, and has what was built and nothing else', async () => {
    expect((await stat(archive)).size).toBeLessThan(4.5 * MEGABYTE);
    expect((await readdir(installed)).sort()).toEqual(
      [
        ...['LICENSE', 'README.md', 'THIRD_PARTY_NOTICES', 'bin', 'node_modules', 'package.json'],
        ...['docs', 'llms.txt', 'packages', 'scripts', 'src', 'web'],
      ].sort(),
    );
    const files = (await filesBelow(join(installed))).map((file) => relative(installed, file));
    expect(
      files.filter(
        (file) => /\.tsx?$|\.test\.|^(bench|test)\/|^docs\/.*\.(?!md$)/.test(file) && !file.endsWith('.d.ts'),
      ),
    ).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(['web/dist/index.html', 'web/dist/samples/portrait.jpg']));
  });

  test('names every package that npm installs for it, and what is built into the dashboard, with their licences', async () => {
    const notices = await readFile(join(installed, 'THIRD_PARTY_NOTICES'), 'utf8');
    const locked = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')).packages;
    const places = Object.keys(dependencies).filter((place) => place !== '' && place in locked);
    const installedHere = await Promise.all(places.map((place) => stat(join(ROOT, place)).catch(() => undefined)));
    const present = places.filter((_, index) => installedHere[index] !== undefined);
    expect(present.length).toBeGreaterThan(100);
    for (const place of present) {
      const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
      expect(notices).toContain(`\n${name} ${locked[place].version}: `);
    }
    for (const name of ['react', 'react-dom', 'react-aria-components', '@tanstack/react-query', 'tus-js-client']) {
      expect(notices).toContain(`\n${name} ${locked[`node_modules/${name}`].version}: `);
    }
  });

  test('names every file of a thread or a process as it was built', async () => {
    const files = (await filesBelow(join(installed, 'src'))).filter((file) => file.endsWith('.js'));
    const urls = await Promise.all(
      files.map(async (file) =>
        (await readFile(file, 'utf8')).match(/new URL\([^)]*\.ts\b[^)]*\)|['"]\.[^'"]*\.ts['"]/g),
      ),
    );
    expect(files.length).toBeGreaterThan(300);
    expect(urls.filter((found) => found !== null)).toEqual([]);
  });

  test('is installed by npm in the versions that are tested here, each once', async () => {
    const locked = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')).packages;
    const own = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    const needed = Object.keys({ ...own.dependencies, ...own.optionalDependencies });
    for (const name of needed.filter((one) => !one.startsWith('@darkroom/'))) {
      const place = `node_modules/${name}`;
      const found = dependencies[place] ?? dependencies[`node_modules/darkroom/${place}`];
      expect([name, found?.version]).toEqual([name, locked[place].version]);
    }
    for (const name of ['better-call', '@better-auth/utils', 'better-auth', 'zod', 'sharp']) {
      expect(Object.keys(dependencies).filter((place) => place.endsWith(`/${name}`))).toEqual([`node_modules/${name}`]);
    }
  });

  test('starts the service on the data of the current folder, takes a picture, renders it, and stops', async () => {
    const service = await whenReady(start());
    const headers = { authorization: `Bearer ${API_KEY}` };
    const form = new FormData();
    form.append('files', new Blob([fixture('portrait-face.jpg') as Uint8Array<ArrayBuffer>]), 'face.jpg');
    expect((await fetch(`${service.url}/upload`, { method: 'POST', body: form, headers })).status).toBe(200);
    const answer = await ask(service.url, '/t/w_60,h_60,c_fill,g_face,f_webp/face.jpg');
    expect(await sharp(answer.body).metadata()).toMatchObject({ format: 'webp', width: 60, height: 60 });
    expect((await ask(service.url, '/t/w_50,e_cutout,f_png/face.jpg')).status).toBe(200);
    const page = (await ask(service.url, '/dashboard')).body.toString();
    const [, script] = /src="\.\/(assets\/[^"]+\.js)"/.exec(page) ?? [];
    expect((await ask(service.url, `/dashboard/${script}`)).status).toBe(200);
    expect((await ask(service.url, '/api/docs/guide/library')).status).toBe(200);
    const sent = start(['upload', 'package.json'], { DARKROOM_URL: service.url, DARKROOM_KEY: API_KEY });
    expect((await sent.exited).code).toBe(1);
    expect(sent.stderr()).toContain('package.json');
    expect(await readdir(join(project, 'data', 'originals'))).toEqual(['face.jpg']);
    expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(await outcomeOf('admin', 'keys', 'list')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Environment key'),
    });
  });

  test('says which release it is, what can be typed, and whether the settings are right', async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    expect(await outcomeOf('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    const help = await outcomeOf('--help');
    expect(help).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/start \[<option>\].*admin <command>.*upload/s),
    });
    expect((await outcomeOf('start', '--help')).stdout).toMatch(/^darkroom start \[<option>\]/);
    expect((await outcomeOf('admin', '--help')).stdout).toMatch(/^darkroom admin <command>/);
    expect((await outcomeOf('--check-config')).stdout).toBe('The configuration is valid.\n');
    expect(await outcomeOf('frobnicate')).toMatchObject({ code: 2, stderr: expect.stringContaining('"frobnicate"') });
  });

  test('says on an older Node what it needs, and uses the one that npm has brought', async () => {
    const { PATH } = process.env;
    const old = join(folder, 'old-node.mjs');
    await writeFile(old, `Object.defineProperty(process.versions, 'node', { value: '20.1.0' });`);
    const onOldNode = (program: string) =>
      run(process.execPath, ['--import', old, program, 'start', '--check-config'], { cwd: project, env: { PATH } });
    expect((await onOldNode(join(installed, 'bin', 'darkroom.mjs'))).stdout).toBe('The configuration is valid.\n');
    const alone = join(folder, 'alone');
    await mkdir(alone);
    await run('tar', ['-xzf', archive, '--strip-components=1', '-C', alone]);
    await expect(onOldNode(join(alone, 'bin', 'darkroom.mjs'))).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Darkroom runs on Node 24 or later.*node-linux-/),
    });
  });
});
