import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A server that a script runs. */
export interface ScriptServer {
  /** What the script printed after "ready". */
  said: string;
  /** Ends it in order, and waits for its end. */
  stop(): Promise<void>;
}

/**
 * Starts a script that prints "ready" when its server answers, and ends it when its standard input does: also when this process is
 * killed.
 * @throws Error with the last words of a script that ends before
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
