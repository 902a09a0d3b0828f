import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const IMAGE = new URL('../../src/image/', import.meta.url).href;

/**
 * Runs the body of an asynchronous function in a thread that has 32 MB for its objects; buffers do not count.
 * @param body may `load` modules of `src/image/`, and use some `bytes`
 * @returns what the function returns; rejects when it throws or has too little memory
 */
export async function inLittleMemory(body: string, bytes: Buffer): Promise<unknown> {
  const code = `
    const { workerData, parentPort } = require('node:worker_threads');
    const load = (path) => import(workerData.image + path);
    const run = async (bytes) => {${body}};
    run(Buffer.from(workerData.bytes)).then((result) => parentPort.postMessage(result));
  `;
  const limits = { maxOldGenerationSizeMb: 32 };
  const worker = new Worker(code, { eval: true, workerData: { image: IMAGE, bytes }, resourceLimits: limits });
  try {
    const [result] = await once(worker, 'message');
    return result;
  } finally {
    await worker.terminate();
  }
}
