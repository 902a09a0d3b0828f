import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The installed packages of a project, or the reason for their absence. */
export type PackagesForTests = { folder: string } | { missing: string };

const run = promisify(execFile);

/**
 * Installs the locked packages of a folder with its own `package.json`, for tests only: packages that the product does
 * not need stay out of `npm start`. They stay in its `node_modules` until its lock file changes. None of their scripts
 * run.
 * @throws npm's message if it fails
 */
export async function installPackages(folder: string): Promise<void> {
  const stamp = join(folder, 'node_modules', '.installed-lock');
  const lock = createHash('sha256')
    .update(await readFile(join(folder, 'package-lock.json')))
    .digest('hex');
  if ((await readFile(stamp, 'utf8').catch(() => '')) === lock) return;
  await runNpm(folder, 'ci');
  await writeFile(stamp, lock);
}

/**
 * Runs a command of npm without scripts, with its cache if possible: the cache may have older lists of versions of some
 * packages than of others, which then require a version that seems to be missing.
 * @throws npm's message if it fails
 */
export async function runNpm(folder: string, ...command: string[]): Promise<void> {
  const options = ['--ignore-scripts', '--loglevel=error'];
  try {
    await run('npm', [...command, ...options, '--prefer-offline'], { cwd: folder });
  } catch {
    await run('npm', [...command, ...options, '--prefer-online'], { cwd: folder });
  }
}

/**
 * Installs the packages, or logs that the tests that need them are skipped. A complete check (`CI=true`) fails instead.
 * Call it in a global setup of vitest, or in the only test file that needs the folder: two files could install into it
 * concurrently.
 * @param tests subject of the tests, as in "The tests of ..."
 */
export async function preparePackages(folder: string, tests: string): Promise<PackagesForTests> {
  try {
    await installPackages(folder);
    return { folder };
  } catch (error) {
    const missing = error instanceof Error ? error.message : String(error);
    if (process.env.CI === 'true') throw new Error(`The tests of ${tests} need npm: ${missing}`, { cause: error });
    process.stderr.write(`The tests of ${tests} are skipped: ${missing}\n`);
    return { missing };
  }
}
