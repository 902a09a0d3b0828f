import { yieldToEventLoop } from '../concurrency.ts';

/**
 * Runs the work for every item, `concurrency` at a time. Starts one item per turn of the event loop: requests that end
 * together would otherwise start the next ones together, and block it. Starts no further items after a failure.
 * @throws the first failure, once all running work has ended
 */
export async function inParallel<T>(
  items: AsyncIterable<T> | Iterable<T>,
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const running = new Set<Promise<void>>();
  try {
    for await (const item of items) {
      if (failures.length > 0) break;
      const one: Promise<void> = work(item)
        .catch((error) => {
          failures.push(error);
        })
        .finally(() => running.delete(one));
      running.add(one);
      if (running.size >= concurrency) await Promise.race(running);
      await yieldToEventLoop();
    }
  } finally {
    await Promise.all(running);
  }
  if (failures.length > 0) throw failures[0];
}

/** Yields the items in arrays of `size`; the last one is shorter. */
export async function* batchesOf<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
