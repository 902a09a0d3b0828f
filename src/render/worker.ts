import { setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import workerpool from 'workerpool';
import { convertHeic } from '../image/convert.ts';
import { prepareSharp } from '../image/decode.ts';
import { createFaceDetector } from '../image/faces.ts';
import { findFocus } from '../image/find-focus.ts';
import { renderImage } from '../image/pipeline.ts';
import type { RenderTasks } from './tasks.ts';

/** How far renders stand back behind the service itself: what is in the cache is answered first. */
const NICENESS = 5;

// A child process of the pool: renders one picture at a time. It is the entry of its own process, so it acts when loaded.
// The watchdog has a thread of its own, because a decoder may keep this one busy for seconds.
const [memoryBytes = 0, maxRenders = 0] = process.argv.slice(2).map(Number);
new Worker(new URL('./watchdog.ts', import.meta.url), {
  workerData: { memoryBytes, parent: process.ppid },
}).unref();
prepareSharp();
setPriority(NICENESS);

const RETIREMENT_DELAY_MS = 20;

let renders = 0;
let isBusy = false;

const detector = createFaceDetector();
const tasks: RenderTasks = {
  render: renderImage,
  convertHeic,
  findFocus: (request) => findFocus(request, detector),
  faceDetection: () => detector.status(),
};

/** A task as the pool calls it. */
function asMethod<Request, Result>(task: (request: Request) => Promise<Result>) {
  return async (request: Request): Promise<Result> => {
    if (renders >= maxRenders) process.exit();
    // From here on the pool can end this render by ending this process.
    workerpool.workerEmit({ pid: process.pid });
    isBusy = true;
    try {
      return await task(request);
    } finally {
      isBusy = false;
      // One that holds on to half of its memory retires at once.
      renders = process.memoryUsage.rss() > memoryBytes / 2 ? maxRenders : renders + 1;
      if (renders >= maxRenders) setTimeout(retire, RETIREMENT_DELAY_MS);
    }
  };
}

/** Leaves once the last result is on its way. A render that arrives now has not begun and goes to another worker. */
function retire(): void {
  if (!isBusy) process.exit();
}

workerpool.worker(Object.fromEntries(Object.entries(tasks).map(([name, task]) => [name, asMethod(task)])));
