import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Whether the packages of a project are there, or why not. */
export type PackagesForTests = { folder: string } | { missing: string };

const run = promisify(execFile);

/**
 * Installs the locked packages of a folder that has a `package.json` of its own, for tests alone: packages that the product does
 * not need stay out of what `npm start` installs. They are kept in its `node_modules` until its lock file changes. No script of
 * theirs runs.
 * @throws what npm says when it cannot
 */
export async function installPackages(folder: string): Promise<void> {
  const stamp = join(folder, 'node_modules', '.installed-lock');
  const lock = createHash('sha256')
    .update(await readFile(join(folder, 'package-lock.json')))
    .digest('hex');
  if ((await readFile(stamp, 'utf8').catch(() => '')) === lock) return;
  await run('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--loglevel=error'], { cwd: folder });
  await writeFile(stamp, lock);
}

/**
 * Installs them, or says aloud that the tests that need them are skipped. A complete check (`CI=true`) fails instead. It is for a
 * global setup of vitest, or for the only test file that needs the folder: two files could install into it at the same time.
 * @param tests what the tests are about, as in "The tests of ..."
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
