import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/**
 * Runs one of the programs that need the packages of this folder.
 * @returns what it printed
 * @throws what it complained of
 */
export async function runProgram(file: string, args: readonly string[] = [], input = ''): Promise<string> {
  const child = spawn('node', [file, ...args], { cwd: import.meta.dirname, stdio: 'pipe' });
  child.stdin.end(input);
  const [out, complaint, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  if (code !== 0) throw new Error(`${file} ended with ${code}: ${complaint}${out}`);
  return out;
}
