import { access, cp, mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { output, run } from './programs.ts';

const NAME = 'localhost/darkroom-base';
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** Certificates of this host, because npm in a build uses the same network. */
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
/** Folders that Debian's slim images lack. */
const MANUALS = ['doc', 'man', 'locale', 'info', 'lintian'].map((name) => `usr/share/${name}`);
/** mmdebstrap installs usrmerge next to usr-is-merged, whose presence is enough; usrmerge also needs all of Perl. */
const UNNEEDED = ['usrmerge', 'perl', 'perl-modules-5.36', 'libperl5.36', 'libfile-find-rule-perl'];

/**
 * Creates an image equivalent to that of the Dockerfile: slim Debian 12, this Node, npm, and the user `node` (1000).
 * @param folder is created for its files
 * @returns its name
 */
export async function makeBase(folder: string, environment: Readonly<Record<string, string>>): Promise<string> {
  const options = ['--quiet', '--variant=minbase', '--include=ca-certificates,usr-is-merged'];
  await run(['mmdebstrap', ...options, 'bookworm', folder]);
  const inside = (...command: string[]) => run(['chroot', folder, ...command]);
  await inside('apt-get', 'purge', '-y', '-qq', ...UNNEEDED);
  await inside('groupadd', '--gid', '1000', 'node');
  await inside('useradd', '--uid', '1000', '--gid', 'node', '--create-home', 'node');
  await run(['rm', '-rf', ...[...MANUALS, 'var/lib/apt/lists', 'var/cache/apt'].map((name) => join(folder, name))]);
  await addNode(join(folder, 'usr', 'local'));
  await cp(CERTIFICATES, join(folder, CERTIFICATES), { dereference: true });
  const container = await output(['buildah', 'from', 'scratch'], environment);
  await run(['buildah', 'add', '--quiet', container, folder, '/'], environment);
  await run(
    ['buildah', 'config', '--env', `PATH=${PATH}`, '--env', `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`, container],
    environment,
  );
  await run(['buildah', 'commit', '--quiet', '--rm', container, NAME], environment);
  await run(['rm', '-rf', folder]);
  return NAME;
}

async function addNode(folder: string): Promise<void> {
  await cp(process.execPath, join(folder, 'bin', 'node'), { dereference: true });
  const npm = dirname(dirname(process.env.npm_execpath ?? ''));
  await access(join(npm, 'bin', 'npm-cli.js')).catch(() => {
    throw new Error('npm is not found: start this by npm run image.');
  });
  await mkdir(join(folder, 'lib', 'node_modules'), { recursive: true });
  await cp(npm, join(folder, 'lib', 'node_modules', 'npm'), { recursive: true, dereference: true });
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(folder, 'bin', 'npm'));
}
