import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Installs unzip if it is missing and may be installed. For `beforeAll`. */
export async function installUnzip(): Promise<void> {
  if (isInstalled() || process.getuid?.() !== 0) return;
  const apt = (...args: string[]) => run('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=300', ...args]);
  const install = () => apt('install', '-y', '--no-install-recommends', 'unzip');
  await install().catch(async () => {
    await apt('update');
    await install();
  });
}

/** Tests an archive with `unzip -t`. Without unzip only Python's reader checks it, in the tests themselves. */
export async function testWithUnzip(file: string): Promise<void> {
  if (isInstalled()) await run('unzip', ['-tqq', file]);
}

function isInstalled(): boolean {
  return spawnSync('unzip', ['-v']).status === 0;
}
