import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

type Environment = Readonly<Record<string, string>>;

/**
 * Runs a command with its output visible.
 * @throws Error when it fails
 */
export async function run([program = '', ...args]: readonly string[], environment: Environment = {}): Promise<void> {
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...environment } });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${program} ${args[0]} failed.`);
}

/**
 * Returns the output of a command.
 * @throws Error when it fails
 */
export async function output(
  [program = '', ...args]: readonly string[],
  environment: Environment = {},
): Promise<string> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...environment } });
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (code !== 0) throw new Error(`${program} ${args[0]} failed.`);
  return printed.trim();
}

/** True if a command exists and succeeds. Its output is discarded. */
export async function works(
  [program = '', ...args]: readonly string[],
  environment: Environment = {},
): Promise<boolean> {
  const child = spawn(program, args, { stdio: 'ignore', env: { ...process.env, ...environment } });
  return once(child, 'exit').then(
    ([code]) => code === 0,
    () => false,
  );
}
