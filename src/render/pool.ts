import { type Client, TRUSTED } from '../client.ts';
import { unavailable } from '../errors.ts';
import { LIGHT_MS } from '../image/cost/render.ts';
import { traced, tracePast } from '../tracing.ts';
import { Attempt } from './attempt.ts';
import { FairQueue } from './fair-queue.ts';
import { createRenderDurations, RenderTimes } from './render-metrics.ts';
import {
  type Allowance,
  type Order,
  type Reply,
  TaskFatal,
  type TaskName,
  type TaskRequest,
  type TaskResult,
} from './tasks.ts';
import { WorkerPool } from './worker-pool.ts';
import { WorkerLost } from './worker-process.ts';

export interface RenderPoolOptions {
  workers: number;
  maxQueued: number;
  maxQueuedPerClient: number;
  maxWaitMs: number;
  /** Time limit of one render, in ms. */
  timeoutMs: number;
  /** Memory limit of one worker. */
  memoryBytes: number;
  /** Memory limit of all heavy renders together. */
  totalMemoryBytes: number;
  rendersPerWorker?: number;
  /** Time without a task after which a worker ends, in ms; 0 for workers that start with the service and stay. */
  workerIdleMs?: number;
  /** Configuration of Fontconfig; without it the fonts of the host. */
  fontsFile?: string;
}

/** A claim to the time of the workers: its clients, and the account that is charged. */
export interface Claim {
  /** Clients that wait for it now. */
  clients(): Iterable<Client>;
  /** Called when its turn comes. An error that it throws ends the claim. */
  begin(): void;
  /** Called with the CPU time of each attempt at a task, in ms. */
  charge(cpuMs: number): void;
  /** True to run only while no other task waits, however long that takes. */
  readonly isBackground?: boolean;
  /** True for work that is known to take long or to fail slowly: it is heavy from its beginning. */
  readonly isHeavy?: boolean;
  /** The space that the work is for; absent for the library. */
  readonly space?: string;
}

const MEGABYTE = 1024 * 1024;

/** Renders after which a worker is replaced, because native memory fragments. A start costs as much as 20 renders. */
const RENDERS_PER_WORKER = 2000;

/**
 * A worker that holds more after a render is replaced, which frees it. With the face detector it holds about 200 MB.
 */
const RETIREMENT_BYTES = 256 * MEGABYTE;

/** A task that needs more, beyond the memory of an idle worker, is heavy and waits until heavy ones leave enough. */
const LIGHT: Allowance = { megabytes: 128, cpuMs: LIGHT_MS };

/** Refusals of a task for its needs before it runs without limits. */
const MAX_REFUSALS = 3;

/** Attempts to begin a render. A worker can die before it begins one (killed, out of memory). */
const MAX_STARTS = 3;

/** Work for trusted clients, by no render budget. */
export const UNCHARGED: Claim = { clients: () => [TRUSTED], begin: () => undefined, charge: () => undefined };

/** Work without a waiting client. */
export const BACKGROUND: Claim = { ...UNCHARGED, clients: () => [], isBackground: true };

export class RenderPool {
  readonly #options: RenderPoolOptions;
  readonly #queue: FairQueue;
  readonly #workers: WorkerPool;
  #rendered = 0;
  /** Render times without waiting. */
  readonly times = new RenderTimes();
  readonly durations = createRenderDurations();

  constructor(options: RenderPoolOptions) {
    const { workers, memoryBytes, totalMemoryBytes, fontsFile } = options;
    const heavyMegabytes = totalMemoryBytes / MEGABYTE;
    this.#options = options;
    this.#queue = new FairQueue({ ...options, size: workers, heavyMegabytes, purpose: 'rendering' });
    this.#workers = new WorkerPool({
      size: workers,
      idleMs: options.workerIdleMs ?? 0,
      tasksPerWorker: options.rendersPerWorker ?? RENDERS_PER_WORKER,
      retirementBytes: Math.min(memoryBytes / 2, RETIREMENT_BYTES),
      worker: { memoryBytes, ...(fontsFile !== undefined && { fontsFile }) },
    });
  }

  /**
   * Runs a task in a worker process. An abort ends the task, and its worker if necessary.
   * @throws HttpProblem 503 when the queue is full, or the render crashed or took too long, 429 when too much of one
   * network waits; the signal's reason
   */
  async run<Name extends TaskName>(
    task: Name,
    request: TaskRequest<Name>,
    signal: AbortSignal | undefined,
    claim: Claim,
  ): Promise<TaskResult<Name>> {
    const ticket = this.#queue.ticket(claim.clients, signal, claim.isBackground, claim.space);
    let waitedMs = 0;
    const inSlot = (allowance?: Allowance) => {
      const queuedAt = performance.now();
      return this.#queue.hold(ticket, () => {
        waitedMs += performance.now() - queuedAt;
        tracePast('wait', queuedAt);
        const order = { task, request, allowance };
        return traced('render', { task }, () => this.#perform(order, signal, claim));
      });
    };
    if (claim.isHeavy) ticket.megabytes = LIGHT.megabytes;
    let reply = await inSlot(claim.isHeavy ? heavyAllowance(LIGHT.megabytes) : LIGHT);
    // A task that was refused for its time may need more memory than known so far, so it is refused again.
    for (let refusals = 1; reply.neededMegabytes !== undefined; refusals++) {
      ticket.megabytes = Math.max(LIGHT.megabytes, reply.neededMegabytes);
      reply = await inSlot(refusals < MAX_REFUSALS ? heavyAllowance(ticket.megabytes) : undefined);
    }
    const result = resultOf(reply);
    if (task === 'render') {
      this.#rendered++;
      this.durations.waiting.observe(waitedMs / 1000);
    }
    // Both sides take their types from `RenderTasks`, so the reply of a worker is the result of its task.
    return result as TaskResult<Name>;
  }

  /** Runs a task for the service itself or for a trusted client. No client is charged. @throws as `run` */
  runUncharged<Name extends TaskName>(
    task: Name,
    request: TaskRequest<Name>,
    signal?: AbortSignal,
  ): Promise<TaskResult<Name>> {
    return this.run(task, request, signal, UNCHARGED);
  }

  stats(): { workers: number; workerBytes: number; rendering: number; queued: number; rendered: number } {
    const { used: rendering, queued } = this.#queue;
    const { memoryBytes: workerBytes } = this.#workers;
    return { workers: this.#options.workers, workerBytes, rendering, queued, rendered: this.#rendered };
  }

  /** Starts the first worker, or all of them if they stay. The others start when there is work for them. */
  start(): void {
    this.#workers.start();
  }

  close(): Promise<void> {
    return this.#workers.close();
  }

  #measure({ request }: Order, elapsedMs: number): void {
    const { format } = request as TaskRequest<'render'>;
    this.times.add(elapsedMs);
    this.durations.rendering.observe({ format }, elapsedMs / 1000);
  }

  /** Runs in a slot of the queue. There is a worker for each slot. */
  async #perform(order: Order, signal: AbortSignal | undefined, claim: Claim): Promise<Reply> {
    claim.begin();
    for (let start = 1; ; start++) {
      const worker = this.#workers.take();
      const attempt = new Attempt(worker, this.#options.timeoutMs, signal);
      try {
        const reply = await attempt.run(order);
        this.#workers.review(worker, reply);
        claim.charge(reply.cpuMs);
        if (order.task === 'render' && reply.neededMegabytes === undefined) this.#measure(order, attempt.elapsedMs);
        signal?.throwIfAborted();
        return reply;
      } catch (cause) {
        // A client that leaves pays for the work until then.
        if (cause instanceof WorkerLost && attempt.hasBegun) claim.charge(attempt.elapsedMs);
        signal?.throwIfAborted();
        if (!(cause instanceof WorkerLost)) throw cause;
        const result = attempt.lastResult;
        if (result !== undefined) return { result, cpuMs: attempt.elapsedMs, pricedMs: 0, memoryBytes: 0 };
        if (attempt.hasBegun || start === MAX_STARTS) throw workerFailure(attempt, this.#options, cause);
      }
    }
  }
}

/** Limits of a heavy task: the queue counts its memory, and its time is not limited here. */
function heavyAllowance(megabytes: number): Allowance {
  return { megabytes, cpuMs: Number.POSITIVE_INFINITY };
}

/** @throws HttpProblem 503 when the worker reports an error (full disk, missing file). The cause is logged. */
function resultOf({ result, error }: Reply): unknown {
  if (!error) return result;
  const message = 'The image could not be rendered.';
  throw unavailable(message, 'render_failed', 5, Object.assign(new Error(error.message), error));
}

function workerFailure({ timedOut, hasBegun }: Attempt, options: RenderPoolOptions, lost: WorkerLost) {
  if (!hasBegun) return unavailable('No render worker begins.', 'render_failed', 30, lost);
  const cause = new TaskFatal(lost.message, { cause: lost });
  if (timedOut) {
    const message = `Rendering took longer than ${options.timeoutMs} ms (RENDER_TIMEOUT_MS).`;
    return unavailable(message, 'render_timeout', 30, cause);
  }
  const megabytes = options.memoryBytes / MEGABYTE;
  const message = `The render worker ended in the middle of its work: it crashed, or needed more than ${megabytes} MB (RENDER_MEMORY_MB).`;
  return unavailable(message, 'render_failed', 5, cause);
}
