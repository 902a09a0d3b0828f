import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cpuSeconds } from './process.ts';

const run = promisify(execFile);

export interface Load {
  url: string;
  /** Requested one after another instead of the path of `url`. */
  paths?: readonly string[];
  headers?: Record<string, string>;
  connections: number;
  seconds: number;
  /** Server process. Its CPU time and that of its descendants is counted. */
  pid: number;
  /** CPU of the client. */
  cpu: number;
  /** True if responses other than 2xx and 3xx are expected. */
  expectErrors?: boolean;
}

export interface LoadResult {
  /** Requests per second. */
  rate: number;
  requests: number;
  /** CPU us of the server per request. */
  cpuMicroseconds: number;
}

/** Writes a program for wrk that requests the paths in turn. @returns its file */
async function writeScript(paths: readonly string[]): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'bench-wrk-')), 'paths.lua');
  const list = paths.map((path) => JSON.stringify(path)).join(', ');
  const next = 'function request() at = at % #paths + 1; return wrk.format(nil, paths[at]) end';
  await writeFile(file, `local at = 0\nlocal paths = { ${list} }\n${next}\n`);
  return file;
}

/** Loads a server with wrk. @throws Error for unexpected responses */
export async function loadWith({
  url,
  paths,
  headers = {},
  connections,
  seconds,
  pid,
  cpu,
  expectErrors,
}: Load): Promise<LoadResult> {
  const lines = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  // On a busy host a response may take seconds, which is no failure.
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s', ...lines];
  if (paths) args.push('-s', await writeScript(paths));
  const before = cpuSeconds(pid);
  const { stdout } = await run('taskset', ['-c', String(cpu), 'wrk', ...args, url]);
  const used = cpuSeconds(pid) - before;
  if (/Socket errors/.test(stdout) || /Non-2xx/.test(stdout) !== (expectErrors ?? false)) {
    throw new Error(`Unexpected responses from ${url}:\n${stdout}`);
  }
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1]);
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
  return { rate, requests, cpuMicroseconds: (used / requests) * 1e6 };
}
