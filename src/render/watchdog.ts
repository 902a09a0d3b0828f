import { flushCompileCache } from 'node:module';
import { workerData } from 'node:worker_threads';

// A thread of a render worker that ends the whole process, even while its main thread is busy, when the service that
// started it has ended (a killed parent does not close the channel) or when the process exceeds its memory.
const { memoryBytes, parent }: { memoryBytes: number; parent: number } = workerData;

const INTERVAL_MS = 100;

setInterval(() => {
  if (process.ppid !== parent || process.memoryUsage.rss() > memoryBytes) process.kill(process.pid, 'SIGKILL');
}, INTERVAL_MS);

// The next one then starts without the compiler of TypeScript, which takes longer than all the rest.
flushCompileCache();
