import { spawnSync } from 'node:child_process';

/** Debian package of each program that the benchmarks run. */
const PACKAGES = {
  wrk: 'wrk',
  nginx: 'nginx-light',
  taskset: 'util-linux',
  zip: 'zip',
  curl: 'curl',
  haproxy: 'haproxy',
} as const;

export type Program = keyof typeof PACKAGES;

/** Installs missing programs if run as root. @throws Error that names the packages to install */
export function requirePrograms(...programs: readonly Program[]): void {
  const missing = programs.filter((program) => !isInstalled(program));
  if (missing.length === 0) return;
  const packages = missing.map((program) => PACKAGES[program]);
  if (process.getuid?.() === 0) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const apt = (...args: string[]) => spawnSync('apt-get', ['-qq', ...args], { stdio: 'ignore', env });
    apt('update');
    apt('install', '-y', '--no-install-recommends', ...packages);
  }
  if (!missing.every(isInstalled)) {
    throw new Error(`Missing: ${missing.join(', ')}. Debian, Ubuntu: sudo apt-get install ${packages.join(' ')}`);
  }
}

/** First line of a program's version output. `none` if it is missing. */
export function versionOf(program: string, ...args: string[]): string {
  const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return `${stdout ?? ''}${stderr ?? ''}`.split('\n')[0]?.trim() || 'none';
}

function isInstalled(program: Program): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
}
