import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
/** Entries of `node_modules` that link to `packages/`. */
const OWN: readonly string[] = ['@darkroom', 'darkroom-client'];

/**
 * Creates a checkout whose dependencies count as installed, so that `npm start` leaves those of this one unchanged.
 * @param more additional folders of this one
 */
export async function makeCheckout(folder: string, more: readonly string[] = []): Promise<string> {
  const copy = join(folder, 'checkout');
  await mkdir(join(copy, 'node_modules'), { recursive: true });
  const isBuilt = (file: string) => basename(file).startsWith('dist');
  for (const name of ['package.json', 'package-lock.json', '.npmrc', 'scripts', ...more]) {
    await cp(join(ROOT, name), join(copy, name), { recursive: true, filter: (file) => !isBuilt(file) });
  }
  await symlink(join(ROOT, 'src'), join(copy, 'src'));
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    const place = join(copy, 'node_modules', name);
    // Links to the packages of the repository lead to those of the copy.
    if (OWN.includes(name))
      await cp(join(ROOT, 'node_modules', name), place, { recursive: true, verbatimSymlinks: true });
    else if (name !== '.installed-lock') await symlink(join(ROOT, 'node_modules', name), place);
  }
  const lock = createHash('sha256').update(await readFile(join(copy, 'package-lock.json')));
  await writeFile(join(copy, 'node_modules', '.installed-lock'), lock.digest('hex'));
  return copy;
}
