import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe } from 'vitest';

const run = promisify(execFile);

/**
 * Defines a group of tests that need a program; without it they are skipped with a reason, but not in a complete check.
 * @param packageName Debian's package of it
 */
export async function describeWithProgram(
  name: string,
  program: string,
  packageName: string,
  tests: (file: string) => void,
): Promise<void> {
  try {
    const { stdout } = await run('bash', [join(import.meta.dirname, 'find-program.sh'), program, packageName]);
    describe(name, () => tests(stdout.trim()));
  } catch (error) {
    const missing = String((error as { stderr?: string }).stderr).trim();
    if (process.env.CI === 'true') throw new Error(`${name}: ${missing}`, { cause: error });
    describe.skip(`${name} (skipped: ${missing})`, () => tests(''));
  }
}
