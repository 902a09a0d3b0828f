import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { V8_OPTIONS } from '../../scripts/v8-options.mjs';
import { COMPILED } from '../processes.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** The real service in its own process. */
export interface ServiceProcess {
  pid: number;
  url: string;
  child: ChildProcess;
  /** Returns everything it has printed so far. */
  stdout(): string;
  stderr(): string;
  exited: Promise<Exit>;
  /** Ends it with a signal and waits for its exit. */
  end(signal: NodeJS.Signals): Promise<Exit>;
}

/** Starts the service with only the given variables, and with free ports. */
export function spawnService(environment: Record<string, string>, args: string[] = []): Omit<ServiceProcess, 'url'> {
  return spawnCommand([process.execPath, ...V8_OPTIONS, MAIN, ...args], environment);
}

/** Starts it by another command, which may start further processes. */
export function spawnCommand(
  [program = '', ...args]: readonly string[],
  environment: Record<string, string>,
  cwd?: string,
): Omit<ServiceProcess, 'url'> {
  const quiet = { LOG_FORMAT: 'json', LOG_REQUESTS: 'errors', PUBLIC_RATE_LIMIT_MAX: '0', RENDER_WORKERS: '1' };
  const { PATH = '' } = process.env;
  const env = { ...COMPILED, PATH, PORT: '0', HOST: '127.0.0.1', ...quiet, ...environment };
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const exited = once(child, 'close').then(([code, signal]): Exit => ({ code, signal }));
  return {
    pid: child.pid ?? -1,
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    exited,
    async end(signal) {
      child.kill(signal);
      return exited;
    },
  };
}

/** Starts the service and waits for the line that announces its address. */
export function startServiceProcess(environment: Record<string, string>): Promise<ServiceProcess> {
  return whenReady(spawnService(environment));
}

export async function whenReady(service: Omit<ServiceProcess, 'url'>): Promise<ServiceProcess> {
  for (;;) {
    const port = /Darkroom is ready at [^"]*? and listens on [^"]*?:(\d+)"/.exec(service.stdout())?.[1];
    if (port !== undefined) return { ...service, url: `http://127.0.0.1:${port}` };
    const ended = await Promise.race([service.exited, once(service.child.stdout ?? service.child, 'data')]);
    if ('code' in ended)
      throw new Error(`The service ended before it listened: ${service.stdout()}${service.stderr()}`);
  }
}
