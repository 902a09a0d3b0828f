import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { cpuSeconds } from './process.ts';

const run = promisify(execFile);

export interface Load {
  url: string;
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

/** Loads a server with wrk. @throws Error for unexpected responses */
export async function loadWith({
  url,
  headers = {},
  connections,
  seconds,
  pid,
  cpu,
  expectErrors,
}: Load): Promise<LoadResult> {
  const lines = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  // On a busy host a response may take seconds, which is no failure.
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s', ...lines, url];
  const before = cpuSeconds(pid);
  const { stdout } = await run('taskset', ['-c', String(cpu), 'wrk', ...args]);
  const used = cpuSeconds(pid) - before;
  if (/Socket errors/.test(stdout) || /Non-2xx/.test(stdout) !== (expectErrors ?? false)) {
    throw new Error(`Unexpected responses from ${url}:\n${stdout}`);
  }
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1]);
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
  return { rate, requests, cpuMicroseconds: (used / requests) * 1e6 };
}
