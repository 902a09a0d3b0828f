import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
export const SRC = join(ROOT, 'src');

export interface Import {
  from: string;
  /** A file below `src`, or the name of a module. */
  to: string;
  isTypeOnly: boolean;
}

/** Tests are next to the code. */
const isTest = (file: string) => /\.test\.ts$/.test(file);

/** All files below `src`, including tests. */
export const allFiles = readdirSync(SRC, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => relative(SRC, join(parentPath, name)));

/** The sources below `src`. */
export const files = allFiles.filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts') && !isTest(file));
export const texts = new Map(files.map((file) => [file, readFileSync(join(SRC, file), 'utf8')]));
export const imports = files.flatMap(importsOf);

function importsOf(file: string): Import[] {
  const statements = (texts.get(file) ?? '').matchAll(/^(?:import|export)\s+(?:([^'";]*?)\s+from\s+)?'([^']+)'/gm);
  return [...statements].map(([, clause = '', target = '']) => ({
    from: file,
    to: target.startsWith('.') ? relative(SRC, join(SRC, dirname(file), target)) : target,
    isTypeOnly: isTypeOnly(clause),
  }));
}

/** True for `import type { A }` and `import { type A, type B }`. */
function isTypeOnly(clause: string): boolean {
  if (clause.startsWith('type ')) return true;
  const names = /^\{(.*)\}$/s
    .exec(clause)?.[1]
    ?.split(',')
    .filter((name) => name.trim() !== '');
  return names?.every((name) => name.trim().startsWith('type ')) ?? false;
}
