import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A server that a script runs. */
export interface ScriptServer {
  /** Output of the script after "ready". */
  said: string;
  /** Stops it gracefully, and waits for its exit. */
  stop(): Promise<void>;
}

/**
 * Starts a script that prints "ready" once its server responds, and that exits when its standard input ends, so also
 * when this process is killed.
 * @throws Error with the last output of a script that exits before
 */
export async function startScript(
  script: URL,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<ScriptServer> {
  const child = spawn(fileURLToPath(script), args, {
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  let complaints = '';
  child.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  const stop = async () => {
    child.stdin.end();
    await ended;
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const [, said] = /^ready ?(.*)$/.exec(line) ?? [];
    if (said !== undefined) return { said, stop };
  }
  await ended;
  throw new Error(complaints.trim() || 'the server ended before it was ready');
}
