import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { acceptedOptions } from '../../scripts/v8-options.mjs';
import type { Deadline } from '../image/deadline.ts';
import { programFile } from '../runtime/packed.ts';
import type { Order, Reply, WorkerMessage, WorkerSettings } from './tasks.ts';

const WORKER = fileURLToPath(programFile('./worker', import.meta.url));

/** Node's cache of compiled code, where this process has one: with it a worker starts with a third of the work. */
const compiled = getCompileCacheDir();
/** Workers get no secrets. glibc keeps an arena for each thread: two are enough and give memory back. */
const ENVIRONMENT = {
  MALLOC_ARENA_MAX: '2',
  // Node creates one below this folder for each of its versions.
  ...(compiled !== undefined && { NODE_COMPILE_CACHE: dirname(compiled) }),
};
/** A worker's own heap is small: collecting it takes less than waking other threads to help. */
export const WORKER_OPTIONS = ['--single-threaded-gc', '--max-semi-space-size=2'];

let accepted: readonly string[] | undefined;
/** Queries Node once, before the first worker starts. */
const nodeOptions = () => {
  accepted ??= acceptedOptions(WORKER_OPTIONS, process.execPath, ENVIRONMENT);
  return [...accepted];
};

/** The process ended, or never started. */
export class WorkerLost extends Error {
  override name = 'WorkerLost';
}

/** Progress of a task in a worker. */
export interface Progress {
  begin(): void;
  /** @param deadline null when it is over */
  expect(deadline: Deadline | null): void;
}

interface Assignment {
  progress: Progress;
  resolve(reply: Reply): void;
  reject(error: WorkerLost): void;
}

/** A child process that does one task at a time. */
export class WorkerProcess {
  readonly #child: ChildProcess;
  #assignment: Assignment | undefined;
  #isReady = false;
  #end: WorkerLost | undefined;
  /** Resolves when the process has ended. */
  readonly gone: Promise<void>;
  /** Number of completed tasks. */
  done = 0;
  /** Memory after the last of them. */
  memoryBytes = 0;

  constructor({ fontsFile, ...settings }: WorkerSettings) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.gone = promise;
    const env = { ...ENVIRONMENT, ...(fontsFile !== undefined && { FONTCONFIG_FILE: fontsFile }) };
    // Messages may contain the bytes of a result, which JSON would turn into text.
    const options: ForkOptions = { env, execArgv: nodeOptions(), serialization: 'advanced' };
    this.#child = fork(WORKER, [JSON.stringify(settings)], options);
    this.#child.on('message', (message: WorkerMessage) => this.#receive(message));
    const end = (why: string, cause?: Error) => {
      this.#end ??= new WorkerLost(`The render worker ended: ${why}.`, { cause });
      this.#settle()?.reject(this.#end);
      resolve();
    };
    this.#child.on('exit', (code, signal) => end(signal ?? `exit code ${code}`));
    this.#child.on('error', (cause) => end('it could not be started or reached', cause));
  }

  /** True if it has started and can begin immediately. */
  get isReady(): boolean {
    return this.#isReady;
  }

  get isBusy(): boolean {
    return this.#assignment !== undefined;
  }

  /**
   * Performs a task. A new process begins it when it is ready.
   * @throws WorkerLost when the process ends before the answer
   */
  perform(order: Order, progress: Progress): Promise<Reply> {
    if (this.#end) return Promise.reject(this.#end);
    // Sending fails only when the process has ended, which is reported anyway. An order that cannot be serialized
    // throws here, and leaves the worker free.
    this.#child.send(order, () => undefined);
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    this.#assignment = { progress, resolve, reject };
    return promise;
  }

  /** Ends the process, even when it is stopped or busy in a decoder. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #receive(message: WorkerMessage): void {
    if (message === 'ready') this.#isReady = true;
    else if (message === 'begun') this.#assignment?.progress.begin();
    else if ('deadline' in message) this.#assignment?.progress.expect(message.deadline);
    else {
      this.done++;
      this.memoryBytes = message.memoryBytes;
      this.#settle()?.resolve(message);
    }
  }

  #settle(): Assignment | undefined {
    const assignment = this.#assignment;
    this.#assignment = undefined;
    return assignment;
  }
}
