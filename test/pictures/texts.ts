import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe } from 'vitest';
import type { TextStyle } from '../../src/image/layers/text-style.ts';
import { COMPILED } from '../processes.ts';

const run = promisify(execFile);

/** Properties of a rendered text. */
export interface Look {
  width: number;
  height: number;
  /** In opaque pixels. */
  ink: number;
  /** Opaque pixels that are neither black nor grey nor white. */
  colours: number;
  /** Hash of the size and every byte. */
  hash: string;
}

type Written = string | (Partial<TextStyle> & { text: string });

/** Renders texts in a process with an environment. */
export async function paintIn(environment: Record<string, string>, texts: readonly Written[]): Promise<Look[]> {
  const styles = texts.map((written) => (typeof written === 'string' ? { text: written } : written));
  const script = join(import.meta.dirname, 'paint-texts.ts');
  const { stdout } = await run(process.execPath, [script, JSON.stringify(styles)], {
    env: { ...COMPILED, ...environment },
  });
  return JSON.parse(stdout);
}

/**
 * Defines a group of tests that need Debian's fonts; without them they are skipped with a reason, but not in a complete
 * check.
 */
export async function describeWithDebianFonts(name: string, tests: () => void): Promise<void> {
  try {
    await run('bash', [join(import.meta.dirname, 'find-fonts.sh')]);
    describe(name, tests);
  } catch (error) {
    const missing = String((error as { stderr?: string }).stderr).trim();
    if (process.env.CI === 'true') throw new Error(`${name}: ${missing}`, { cause: error });
    describe.skip(`${name} (skipped: ${missing})`, tests);
  }
}
