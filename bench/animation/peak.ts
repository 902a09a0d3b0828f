import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What a program of its own says of what it took. */
export interface Taken {
  /** At the peak of the process. */
  megabytes: number;
  cpuMs: number;
}

export async function peakOf(program: string, args: readonly string[]): Promise<Taken> {
  const { stdout } = await run(process.execPath, [program, ...args]);
  return JSON.parse(stdout) as Taken;
}
