import { spawnSync } from 'node:child_process';

/** Debian's package for each program that the benchmarks use beside the service. */
const PACKAGES = {
  wrk: 'wrk',
  nginx: 'nginx-light',
  taskset: 'util-linux',
  zip: 'zip',
  curl: 'curl',
  haproxy: 'haproxy',
} as const;

export type Program = keyof typeof PACKAGES;

/** Sees to it that the programs are there: as root they are installed. @throws Error that says what to install */
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

/** The first line of what a program says about its version; `none` when it is not there. */
export function versionOf(program: string, ...args: string[]): string {
  const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return `${stdout ?? ''}${stderr ?? ''}`.split('\n')[0]?.trim() || 'none';
}

function isInstalled(program: Program): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
}
