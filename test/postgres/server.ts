import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { hasCode } from '../../src/errors.ts';
import { freePort } from '../ports.ts';
import { descendantsOf, isAlive } from '../processes.ts';

const PASSWORD = 'darkroom-test-password';

/** A PostgreSQL server on loopback that can be stopped, killed and started again with its data. */
export class PostgresServer {
  readonly #folder: string;
  readonly #port: number;
  #script: ChildProcess | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  #pid = 0;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
  }

  /** @throws Error that says what it takes to have one */
  static async start(): Promise<PostgresServer> {
    const server = new PostgresServer(await mkdtemp(join(tmpdir(), 'darkroom-postgres-')), await freePort());
    try {
      await server.start();
    } catch (error) {
      await server.close();
      throw error;
    }
    return server;
  }

  /** The address of the database of this name, as in `DATABASE_URL`. */
  url(database = 'postgres'): string {
    return `postgres://darkroom:${PASSWORD}@127.0.0.1:${this.#port}/${database}`;
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    const script = fileURLToPath(new URL('./start-server.sh', import.meta.url));
    const child = spawn(script, [this.#folder, String(this.#port)], {
      env: { ...process.env, POSTGRES_TEST_PASSWORD: PASSWORD },
      // It ends with its standard input, also when this process is killed.
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#script = child;
    this.#ended = once(child, 'close');
    let complaints = '';
    child.stderr.on('data', (chunk) => {
      complaints += chunk;
    });
    for await (const line of createInterface({ input: child.stdout })) {
      const [word, pid] = line.split(' ');
      if (word !== 'ready') continue;
      this.#pid = Number(pid);
      return;
    }
    await this.#ended;
    throw new Error(complaints.trim() || 'the server ended before it was ready');
  }

  /** Ends it in order, without waiting for its clients. */
  async stop(): Promise<void> {
    this.#script?.stdin?.end();
    await this.#ended;
  }

  /** Ends it and all its processes at once, as a crash would. */
  async kill(): Promise<void> {
    process.kill(this.#pid, 'SIGSTOP');
    // Those that are left would hold the memory that the next start wants.
    const all = [...(await descendantsOf(this.#pid)), this.#pid];
    for (const pid of all) kill(pid, 'SIGKILL');
    await this.stop();
    while ((await Promise.all(all.map(isAlive))).includes(true)) await setImmediate();
  }

  /** Stops its processes without ending them, or lets them go on. A connection stays open and nothing answers. */
  async signal(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    // The first one starts no others once it is stopped.
    process.kill(this.#pid, signal);
    for (const pid of await descendantsOf(this.#pid)) kill(pid, signal);
  }

  async close(): Promise<void> {
    await this.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** It may have ended meanwhile, because its client has left. */
function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}
