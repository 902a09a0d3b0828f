// Builds the package of the service, `darkroom-<version>.tgz`, as JavaScript: Node strips no types below node_modules.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildDashboard } from './dashboard.mjs';
import { findComponents, writeNotices } from './third-party-notices.ts';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const DIST = join(ROOT, 'dist');
const NAMES = [
  'README.md',
  'LICENSE',
  'bin',
  'scripts/child.mjs',
  'scripts/v8-options.mjs',
  'packages/client/package.json',
  'llms.txt',
];
/** Data files of the service and its packages. */
const DATA = ['src/image/cutout', 'packages/faces/src/cascades', 'packages/image-files/src/profiles'];
/** The packages of this repository that the service consists of. They are published only inside it. */
const OWN = readdirSync(join(ROOT, 'packages')).filter((folder) => folder !== 'client');

/** @param {string} target folder of the package */
async function main(target) {
  rmSync(DIST, { recursive: true, force: true });
  run('tsc', ['-p', 'tsconfig.build.json']);
  run('tsc', ['-p', 'packages/client/tsconfig.cli.json', '--noCheck', '--outDir', 'dist/packages/client/dist']);
  for (const name of NAMES) copy(name);
  for (const folder of DATA) copy(folder, (file) => !/\.m?[jt]s$/.test(file));
  // The pages that the service serves as documentation.
  copy('docs', (file) => !/\/(?:decisions|examples|images)$/.test(file));
  await buildDashboard();
  copy('web/dist', (file) => !/\.(?:stamp|packages)$/.test(file));
  writeFileSync(join(DIST, 'THIRD_PARTY_NOTICES'), writeNotices(findComponents()));
  writePackageFile(OWN.map(bundleOwn));
  run('npm', ['pack', DIST, '--pack-destination', target, '--ignore-scripts', '--loglevel=error']);
  rmSync(DIST, { recursive: true, force: true });
}

/** @param {(file: string) => boolean} [filter] */
function copy(path, filter = () => true) {
  cpSync(join(ROOT, path), join(DIST, path), { recursive: true, filter });
}

/**
 * Moves a package of this repository to where Node resolves it. Its dependencies are those of the service.
 * @returns its name and version
 */
function bundleOwn(folder) {
  const { name, version, license, type } = read(join(ROOT, 'packages', folder, 'package.json'));
  const target = join(DIST, 'node_modules', name);
  mkdirSync(dirname(target), { recursive: true });
  renameSync(join(DIST, 'packages', folder), target);
  const content = { name, version, license, private: true, type, exports: { './*': './src/*.js' } };
  writeFileSync(join(target, 'package.json'), JSON.stringify(content, undefined, 2));
  return [name, version];
}

/**
 * Writes the fields of our package.json that users of the package need.
 * @param {[name: string, version: string][]} own packages that are bundled
 */
function writePackageFile(own) {
  const { name, version, description, license, type, engines, bin, dependencies, optionalDependencies } = read(
    join(ROOT, 'package.json'),
  );
  const content = { name, version, private: true, description, license, type, engines, bin };
  const needs = {
    dependencies: { ...dependencies, ...Object.fromEntries(own) },
    optionalDependencies,
    bundleDependencies: own.map(([bundled]) => bundled),
  };
  writeFileSync(join(DIST, 'package.json'), JSON.stringify({ ...content, ...needs }, undefined, 2));
}

function read(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function run(program, args) {
  const { status, error } = spawnSync(program, args, { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${program} ${args[0]} failed. ${error?.message ?? ''}`);
}

try {
  await main(resolve(process.argv[2] ?? ROOT));
} catch (error) {
  process.stderr.write(`The package could not be made: ${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}
