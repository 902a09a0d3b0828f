import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const SOURCES = new URL('../../packages/image-files/src/', import.meta.url).href;

/**
 * Runs the body of an asynchronous function in a thread with a heap of 32 MB; buffers do not count.
 * @param body may `load` modules of `packages/image-files/src/`, and use some `bytes`
 * @returns the result of the function; rejects when it throws or runs out of memory
 */
export async function inLittleMemory(body: string, bytes: Buffer): Promise<unknown> {
  const code = `
    const { workerData, parentPort } = require('node:worker_threads');
    const load = (path) => import(workerData.sources + path);
    const run = async (bytes) => {${body}};
    run(Buffer.from(workerData.bytes)).then((result) => parentPort.postMessage(result));
  `;
  const limits = { maxOldGenerationSizeMb: 32 };
  const worker = new Worker(code, { eval: true, workerData: { sources: SOURCES, bytes }, resourceLimits: limits });
  try {
    const [result] = await once(worker, 'message');
    return result;
  } finally {
    await worker.terminate();
  }
}
