import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const POLL_MS = 200;

/** Restrictions of a container from `compose.yaml`. */
const CONFINED = ['--init', '--read-only', '--cap-drop', 'all', '--security-opt', 'no-new-privileges'];
const LIMITS = ['--tmpfs', '/tmp:size=256m', '--pids-limit', '1024', '--memory', '4g'];

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** A container of the tested image, with its own volume. */
export interface Container {
  url: string;
  /** Runs a command in it. */
  exec(...command: string[]): Promise<Outcome>;
  logs(): Promise<string>;
  /** Sends SIGTERM. */
  terminate(): Promise<void>;
  /** Resolves to its exit code. */
  exited(): Promise<number>;
  remove(): Promise<void>;
}

/** Starts it and waits until it listens. */
export async function startContainer(settings: Readonly<Record<string, string>>): Promise<Container> {
  const { TRIED_IMAGE = '', TRIED_WITH = '[]' } = process.env;
  const command: string[] = JSON.parse(TRIED_WITH);
  const split = command.indexOf('run');
  const [program = '', ...before] = command.slice(0, split);
  const ask = (...args: string[]) => run(program, [...before, ...args], { maxBuffer: 2 ** 26 });
  const port = await freePort();
  const variables = Object.entries({ ...settings, PORT: String(port), HOST: '127.0.0.1' });
  const environment = variables.flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  const started = await ask(...command.slice(split), '--detach', ...CONFINED, ...LIMITS, ...environment, TRIED_IMAGE);
  const id = started.stdout.trim();
  const container: Container = {
    url: `http://127.0.0.1:${port}`,
    exec: (...args) =>
      ask('exec', id, ...args).then(
        ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
        ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
      ),
    logs: async () => Object.values(await ask('logs', id)).join(''),
    terminate: async () => void (await ask('kill', '--signal', 'TERM', id)),
    exited: async () => Number((await ask('wait', id)).stdout),
    remove: async () => void (await ask('rm', '--force', '--volumes', id)),
  };
  await untilReady(container, async () => (await ask('inspect', '--format', '{{.State.Running}}', id)).stdout);
  return container;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

async function untilReady(container: Container, state: () => Promise<string>): Promise<void> {
  while (
    !(await fetch(`${container.url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (!(await state()).includes('true')) throw new Error(`The container has ended: ${await container.logs()}`);
    await pause(POLL_MS);
  }
}
