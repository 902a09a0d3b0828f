import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { COMPILED } from '../processes.ts';
import { ROOT } from '../source-files.ts';

const MAIN = join(ROOT, 'packages', 'client', 'src', 'cli', 'main.ts');

export interface Run {
  cwd?: string;
  env: Record<string, string>;
  /** Written to the standard input, which then ends. */
  input?: string;
}

/** Runs the command line of the client to its end. */
export async function runDarkroom(args: readonly string[], { cwd, env, input = '' }: Run) {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd, env: { ...COMPILED, ...env } });
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: code as number, stdout, stderr };
}

/**
 * Calls a tool of `darkroom mcp`.
 * @returns the result of the call, and all output
 */
export async function callMcpTool(name: string, args: object, env: Record<string, string>) {
  const child = spawn(process.execPath, [MAIN, 'mcp'], { env: { ...COMPILED, ...env } });
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  child.stdin.write(`${JSON.stringify(call)}\n`);
  // The end of its input cancels calls in progress.
  child.stdout.once('data', () => child.stdin.end());
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const { result } = JSON.parse(stdout) as {
    result: { isError?: boolean; content: { type: string; text?: string; data?: string; mimeType?: string }[] };
  };
  return { result, stdout, stderr };
}
