import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Installs unzip where it is missing and may be installed. For `beforeAll`. */
export async function installUnzip(): Promise<void> {
  if (isInstalled() || process.getuid?.() !== 0) return;
  const apt = (...args: string[]) => run('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=300', ...args]);
  const install = () => apt('install', '-y', '--no-install-recommends', 'unzip');
  await install().catch(async () => {
    await apt('update');
    await install();
  });
}

/** Has `unzip -t` test an archive. Without unzip only Python's reader judges, in the tests themselves. */
export async function testWithUnzip(file: string): Promise<void> {
  if (isInstalled()) await run('unzip', ['-tqq', file]);
}

function isInstalled(): boolean {
  return spawnSync('unzip', ['-v']).status === 0;
}
