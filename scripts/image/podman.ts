import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeBase } from './base.ts';
import type { Engine } from './engine.ts';
import { run, works } from './programs.ts';

/** Programs, each with its Debian package. */
const NEEDED = [
  ['buildah', 'buildah'],
  ['podman', 'podman'],
  ['runc', 'runc'],
  ['catatonit', 'catatonit'],
] as const;

/** Runs a function with images in a separate folder, which is deleted afterwards unless it is to be retained. */
export async function withPodman(act: (engine: Engine) => Promise<void>, keeps: boolean): Promise<void> {
  await assertUsable(NEEDED);
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-image-'));
  try {
    await act(await createEngine(folder));
  } finally {
    if (keeps) process.stdout.write(`Kept: CONTAINERS_STORAGE_CONF=${join(folder, 'storage.conf')} podman images\n`);
    else await removeAll(folder);
  }
}

async function assertUsable(needed: readonly (readonly [string, string])[]): Promise<void> {
  if (process.getuid?.() !== 0) {
    throw new Error(
      'Docker does not run here, and buildah and podman need root to build without it: sudo npm run image',
    );
  }
  const there = await Promise.all(needed.map(([program]) => works([program, '--version'])));
  const missing = needed.filter((_, index) => !there[index]).map(([, name]) => name);
  if (missing.length === 0) return;
  const packages = missing.join(' ');
  throw new Error(`Docker does not run here, and without it these are missing: apt-get install ${packages}`);
}

async function createEngine(folder: string): Promise<Engine> {
  const storage = join(folder, 'storage.conf');
  const containers = join(folder, 'containers.conf');
  const places = `graphroot = "${join(folder, 'store')}"\nrunroot = "${join(folder, 'run')}"\n`;
  await writeFile(storage, `[storage]\ndriver = "overlay"\n${places}`);
  // Podman's default limits may exceed those of this host, and then no container starts.
  await writeFile(containers, '[containers]\ndefault_ulimits = []\n');
  const temp = join(folder, 'tmp');
  await mkdir(temp);
  const environment = { CONTAINERS_STORAGE_CONF: storage, CONTAINERS_CONF: containers, TMPDIR: temp };
  return {
    // crun fails if both versions of control groups are mounted.
    command: ['podman', '--runtime', 'runc', '--cgroup-manager', 'cgroupfs'],
    build: ['buildah', 'build', '--isolation', 'chroot', '--pull-never', '--layers=false', '--format', 'docker'],
    run: ['run', '--network', 'host', '--ulimit', 'host', '--read-only-tmpfs=false'],
    environment,
    base: (named) => findBase(named, folder, environment),
  };
}

/** Returns the named image if it can be fetched, otherwise one that is created here. */
async function findBase(named: string, folder: string, environment: Record<string, string>): Promise<string> {
  if (await works(['timeout', '120', 'buildah', 'pull', named], environment)) return named;
  process.stdout.write(
    `${named} cannot be fetched: one is made of Debian's packages, without npm's and Debian's manuals.\n`,
  );
  await assertUsable([['mmdebstrap', 'mmdebstrap']]);
  return makeBase(join(folder, 'base'), environment);
}

async function removeAll(folder: string): Promise<void> {
  // Its layers are still mounted after an interrupted build.
  const environment = { CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf') };
  await works(['buildah', 'umount', '--all'], environment);
  await works(['podman', 'rm', '--all', '--force'], environment);
  await run(['sh', '-c', `grep -o '${folder}[^ ]*' /proc/mounts | xargs -r -n 1 umount`]);
  await rm(folder, { recursive: true, force: true });
}
