import { readFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { Worker } from 'node:worker_threads';
import { readCaptureDetail } from '../image/analysis/capture-detail.ts';
import { describeImage } from '../image/analysis/describe.ts';
import { analyse, createFinders } from '../image/analysis/find.ts';
import { convertHeic } from '../image/convert.ts';
import { onDeadline } from '../image/deadline.ts';
import { LimitExceeded } from '../image/failure.ts';
import { closeLoaders, prepareSharp } from '../image/loaders.ts';
import { type MemoryCheck, NeedsMemory } from '../image/memory.ts';
import { renderImage } from '../image/pipeline.ts';
import { programFile } from '../runtime/packed.ts';
import { lowerPriority } from '../runtime/priority.ts';
import type {
  Allowance,
  Order,
  RenderTasks,
  ReturnedResult,
  ReturningRequest,
  WorkerMessage,
  WorkerSettings,
} from './tasks.ts';

const MEGABYTE = 1024 * 1024;

/** Memory of a worker without an image. */
const IDLE_MEGABYTES = 100;

/** Renders have a lower priority than the service itself, so that cached answers come first. */
const NICENESS = 5;

// The entry of a child process that renders one image at a time. The watchdog has a thread of its own, because a
// decoder may keep this one busy for seconds.
const { memoryBytes }: WorkerSettings = JSON.parse(process.argv[2] ?? '{}');
new Worker(programFile('./watchdog', import.meta.url), {
  workerData: { memoryBytes, parent: process.ppid },
}).unref();
prepareSharp();
onDeadline((deadline) => send({ deadline }));
// Includes the thread of the watchdog, which is idle.
await lowerPriority(NICENESS);

const finders = createFinders();
const tasks: RenderTasks = {
  render,
  convertHeic,
  find: (request, checkMemory) => analyse(request, finders, checkMemory),
  describe: describeImage,
  readCapture: readCaptureDetail,
  faceDetection: () => finders.faces.status(),
};

process.on('message', (order: Order) => void answer(order));
process.on('disconnect', () => process.exit());
send('ready');
// A worker is killed and would write nothing at its end. Without a cache or anything new this does nothing.
flushCompileCache();

async function answer({ task, request, allowance }: Order): Promise<void> {
  send('begun');
  const before = process.cpuUsage();
  const perform = tasks[task] as (request: unknown, checkMemory: MemoryCheck) => Promise<unknown>;
  const checkMemory = createMemoryCheck(allowance);
  let pricedMs = 0;
  const noting: MemoryCheck = (megabytes, cpuMs = 0) => {
    pricedMs = Math.max(pricedMs, cpuMs);
    checkMemory(megabytes, cpuMs);
  };
  const outcome = await outcomeOf(() => perform(request, noting));
  const { user, system } = process.cpuUsage(before);
  send({ ...outcome, cpuMs: (user + system) / 1000, pricedMs, memoryBytes: process.memoryUsage.rss() });
}

async function render(request: ReturningRequest, checkMemory: MemoryCheck): Promise<ReturnedResult> {
  const result = await renderImage(request, checkMemory);
  if (result.outcome !== 'rendered' || result.size > (request.returnedBytes ?? -1)) return result;
  // The file was just written and is still in memory: reading it takes less than a step through the thread pool.
  return { ...result, bytes: readFileSync(request.output) };
}

/**
 * Returns the check of a task against the memory of this worker and its allowance. A task whose estimate is larger is
 * refused before it begins, because it would be ended in the middle, also when it is tried again.
 * @param allowance undefined for a task that is heavy already
 */
function createMemoryCheck(allowance?: Allowance): MemoryCheck {
  const limit = Math.round(memoryBytes / MEGABYTE);
  return (megabytes, cpuMs = 0) => {
    const needed = Math.ceil(megabytes) + IDLE_MEGABYTES;
    if (needed > limit) {
      throw new LimitExceeded(
        `The image needs a render worker of about ${needed} MB; a worker may hold ${limit} MB (RENDER_MEMORY_MB).`,
      );
    }
    if (allowance && (megabytes > allowance.megabytes || cpuMs > allowance.cpuMs)) throw new NeedsMemory(megabytes);
  };
}

async function outcomeOf(perform: () => Promise<unknown>) {
  try {
    return { result: await perform() };
  } catch (error) {
    if (error instanceof NeedsMemory) return { neededMegabytes: error.megabytes };
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return { error: { message, stack } };
  } finally {
    closeLoaders();
  }
}

/**
 * Resolves when the message was sent. Without a channel it is dropped: the service ended, and this process ends too.
 */
function send(message: WorkerMessage): Promise<void> {
  return new Promise((resolve) => process.send?.(message, () => resolve()));
}
