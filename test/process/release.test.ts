import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ROOT } from '../source-files.ts';

const run = promisify(execFile);
const json = (value: object) => `${JSON.stringify(value, undefined, 2)}\n`;

/** A repository with the files that a release reads, small enough to be packed immediately. */
const FILES = {
  'package.json': json({
    name: 'darkroom',
    version: '0.1.0',
    private: true,
    workspaces: ['packages/*'],
    files: ['docs'],
    scripts: { package: 'npm pack --pack-destination' },
  }),
  'packages/client/package.json': json({ name: 'darkroom-client', version: '0.1.0', files: ['README.md'] }),
  'package-lock.json': json({
    name: 'darkroom',
    version: '0.1.0',
    packages: {
      '': { version: '0.1.0' },
      'packages/client': { version: '0.1.0' },
      'node_modules/other': { version: '0.1.0' },
    },
  }),
  'deploy/helm/Chart.yaml': 'name: darkroom\nversion: 0.1.0\nappVersion: 0.1.0\n',
  'docs/client.md': 'npm install ./darkroom-client-0.1.0.tgz\n',
  'CHANGELOG.md':
    '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Something.\n\n## [0.1.0] - 2026-01-01\n\n- The first.\n',
  '.gitignore': 'release/\n',
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-release-'));
  for (const [name, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  await cp(join(ROOT, 'scripts', 'release.ts'), join(folder, 'scripts', 'release.ts'));
  await git('init', '--quiet', '--initial-branch=main');
  await git('config', 'user.name', 'Somebody');
  await git('config', 'user.email', 'somebody@example.com');
  await git('add', '.');
  await git('commit', '--quiet', '--message=Begin');
});
afterEach(() => rm(folder, { recursive: true }));

const git = async (...args: string[]) => (await run('git', args, { cwd: folder })).stdout.trim();
const read = (name: string) => readFile(join(folder, name), 'utf8');
const release = async (...args: string[]) =>
  (await run(process.execPath, [join(folder, 'scripts', 'release.ts'), ...args], { cwd: folder })).stdout;
const version = async (name: string) => JSON.parse(await read(name)).version;

test('a release writes its version everywhere, packs, commits and tags', async () => {
  expect(await release('0.2.0')).toContain('git push origin main v0.2.0');
  for (const name of ['package.json', 'packages/client/package.json', 'package-lock.json'])
    expect(await version(name)).toBe('0.2.0');
  const { packages } = JSON.parse(await read('package-lock.json'));
  expect([packages[''].version, packages['packages/client'].version, packages['node_modules/other'].version]).toEqual([
    '0.2.0',
    '0.2.0',
    '0.1.0',
  ]);
  expect(await read('deploy/helm/Chart.yaml')).toContain('version: 0.2.0\nappVersion: 0.2.0');
  expect(await read('docs/client.md')).toContain('darkroom-client-0.2.0.tgz');
  const day = new Date().toISOString().slice(0, 10);
  expect(await read('CHANGELOG.md')).toContain(`## [Unreleased]\n\n## [0.2.0] - ${day}\n\n### Added\n\n- Something.`);

  expect((await readdir(join(folder, 'release'))).toSorted()).toEqual([
    'NOTES.md',
    'SHA256SUMS',
    'darkroom-0.2.0.tgz',
    'darkroom-client-0.2.0.tgz',
  ]);
  expect(await read('release/NOTES.md')).toBe('### Added\n\n- Something.\n');
  const sum = createHash('sha256').update(await readFile(join(folder, 'release', 'darkroom-0.2.0.tgz')));
  expect(await read('release/SHA256SUMS')).toContain(`${sum.digest('hex')}  darkroom-0.2.0.tgz\n`);

  expect(await git('log', '-1', '--format=%s %D')).toBe('Release 0.2.0 HEAD -> main, tag: v0.2.0');
  expect(await git('status', '--porcelain')).toBe('');
  await expect(release('0.3.0')).rejects.toThrow('found none');
});

test('a rehearsal says what would be done, and does nothing', async () => {
  expect(await release('0.2.0', '--dry-run')).toMatch(/Would write 0\.2\.0 into package\.json, .*- Something\./s);
  expect(await git('status', '--porcelain', '--ignored')).toBe('');
  expect(await git('tag')).toBe('');
});

test('a release is refused with changes that are not committed, beside main, and for a version that is none or not above the last', async () => {
  await expect(release('0.0.9')).rejects.toThrow('Expected a version above 0.1.0');
  await expect(release('next')).rejects.toThrow('Expected a version as x.y.z');
  await writeFile(join(folder, 'new.txt'), '');
  await expect(release('0.2.0')).rejects.toThrow('new.txt');
  await rm(join(folder, 'new.txt'));
  await git('switch', '--quiet', '--create', 'other');
  await expect(release('0.2.0')).rejects.toThrow('Expected the branch main, found other');
});

test('a release that cannot be packed changes nothing', async () => {
  const broken = { name: 'darkroom-client', version: '0.1.0', scripts: { prepack: 'false' } };
  await writeFile(join(folder, 'packages', 'client', 'package.json'), json(broken));
  await git('commit', '--quiet', '--all', '--message=Break');
  await expect(release('0.2.0')).rejects.toThrow();
  expect(await version('package.json')).toBe('0.1.0');
  expect([await git('status', '--porcelain'), await git('tag')]).toEqual(['', '']);
});
