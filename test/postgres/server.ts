import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { hasCode } from '../../src/errors.ts';
import { freePort } from '../ports.ts';
import { descendantsOf, isAlive } from '../processes.ts';
import { type ScriptServer, startScript } from '../script-server.ts';

const PASSWORD = 'darkroom-test-password';

/** A PostgreSQL server on loopback that can be stopped, killed and restarted with its data. */
export class PostgresServer {
  readonly #folder: string;
  readonly #port: number;
  readonly #buffers: string;
  #script: ScriptServer | undefined;
  #pid = 0;

  private constructor(folder: string, port: number, buffers: string) {
    this.#folder = folder;
    this.#port = port;
    this.#buffers = buffers;
  }

  /**
   * @param buffers its `shared_buffers`; by default enough for tests
   * @throws Error that names the requirements
   */
  static async start({ buffers = '32MB' } = {}): Promise<PostgresServer> {
    const server = new PostgresServer(await mkdtemp(join(tmpdir(), 'darkroom-postgres-')), await freePort(), buffers);
    try {
      await server.start();
    } catch (error) {
      await server.close();
      throw error;
    }
    return server;
  }

  /** Returns the URL of the database of this name, as in `DATABASE_URL`. */
  url(database = 'postgres'): string {
    return `postgres://darkroom:${PASSWORD}@127.0.0.1:${this.#port}/${database}`;
  }

  /** Starts the server; resolves when it responds. */
  async start(): Promise<void> {
    const script = new URL('./start-server.sh', import.meta.url);
    const environment = { POSTGRES_TEST_PASSWORD: PASSWORD, POSTGRES_TEST_BUFFERS: this.#buffers };
    this.#script = await startScript(script, [this.#folder, String(this.#port)], environment);
    this.#pid = Number(this.#script.said);
  }

  /** Stops it gracefully, without waiting for its clients. */
  async stop(): Promise<void> {
    await this.#script?.stop();
  }

  /** Kills it and all its processes immediately, like a crash. */
  async kill(): Promise<void> {
    process.kill(this.#pid, 'SIGSTOP');
    // Remaining processes would hold the memory that the next start needs.
    const all = [...(await descendantsOf(this.#pid)), this.#pid];
    for (const pid of all) kill(pid, 'SIGKILL');
    await this.stop();
    while ((await Promise.all(all.map(isAlive))).includes(true)) await setImmediate();
  }

  /** Suspends or resumes its processes. A suspended connection stays open without responses. */
  async signal(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    // The first one starts no others once it is suspended.
    process.kill(this.#pid, signal);
    for (const pid of await descendantsOf(this.#pid)) kill(pid, signal);
  }

  async close(): Promise<void> {
    await this.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Tolerates a process that has ended meanwhile, because its client has disconnected. */
function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}
