import { describe, expect, test } from 'vitest';
import { type Result, UploadQueue } from './queue.ts';
import type { Upload } from './upload.ts';

const file = (name: string, size = 10) => ({
  folder: 'a',
  name,
  replaces: false,
  file: { name, size } as File,
});

/** A queue whose requests the test completes. */
function openQueue() {
  const requests: {
    names: string[];
    onSent(bytes: number): void;
    signal: AbortSignal;
    answer(results: Result[]): void;
  }[] = [];
  const waits: number[] = [];
  const arrived = { times: 0 };
  const cancelled: string[] = [];
  const queue = new UploadQueue({
    send: (batch, onSent, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<readonly Result[]>();
      signal.addEventListener('abort', () => reject(signal.reason));
      requests.push({ names: batch.map(({ name }) => name), onSent, signal, answer: resolve });
      return promise;
    },
    wait: async (ms) => void waits.push(ms),
    onArrived: () => arrived.times++,
    onCancelled: ({ name }) => void cancelled.push(name),
  });
  return { queue, requests, waits, arrived, cancelled };
}

const LARGE = 10_000_000;
const states = ({ uploads }: { uploads: readonly Upload[] }) => uploads.map(({ state }) => state);
/** Resolves after pending promise callbacks. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('an upload queue', () => {
  test('sends three requests at once, and the next when one has ended', async () => {
    const { queue, requests, arrived } = openQueue();
    queue.add(['1', '2', '3', '4'].map((name) => file(name, LARGE)));
    expect(requests.map(({ names }) => names)).toEqual([['1'], ['2'], ['3']]);
    requests[0]?.answer([{}]);
    await settled();
    expect(requests.map(({ names }) => names).at(-1)).toEqual(['4']);
    expect(states(queue)).toEqual(['done', 'sending', 'sending', 'sending']);
    expect(arrived.times).toBe(1);
  });

  test('sends small files together, twenty at most, and never two of one name', () => {
    const { queue, requests } = openQueue();
    const names = Array.from({ length: 22 }, (_, at) => `${at}`);
    queue.add([...names.map((name) => file(name)), file('21')]);
    expect(requests.map((request) => request.names.length)).toEqual([20, 2, 1]);
  });

  test('sends together what is prepared alike, and nothing else', () => {
    const { queue, requests } = openQueue();
    const prepared = (name: string, ...transformations: string[]) => ({ ...file(name), transformations });
    queue.add([prepared('1', 'w_1'), prepared('2', 'w_1'), prepared('3', 'w_1', 'w_2'), file('4')]);
    expect(requests.map(({ names }) => names)).toEqual([['1', '2'], ['3'], ['4']]);
  });

  test('counts bytes as they leave', () => {
    const { queue, requests } = openQueue();
    queue.add([file('1', LARGE)]);
    requests[0]?.onSent(LARGE / 2);
    expect(queue.summary()).toMatchObject({ bytes: LARGE, sent: LARGE / 2, isActive: true });
  });

  test('tries again what may pass, three times, later each time or when the service says', async () => {
    const { queue, requests, waits } = openQueue();
    queue.add([file('1')]);
    for (const retryAfter of [undefined, 7, undefined, undefined]) {
      requests.at(-1)?.answer([{ error: 'busy', isPassing: true, retryAfter }]);
      await settled();
    }
    expect(waits).toEqual([1000, 7000, 16_000]);
    expect(queue.uploads[0]).toMatchObject({ state: 'failed', error: 'busy' });
    queue.retry();
    expect(states(queue)).toEqual(['sending']);
  });

  test('goes on trying as long as each time more bytes have left', async () => {
    const { queue, requests, waits } = openQueue();
    queue.add([file('1', LARGE)]);
    for (const sent of [1, 2, 3, 4, 5, 5, 5]) {
      requests.at(-1)?.onSent((LARGE * sent) / 10);
      requests.at(-1)?.answer([{ error: 'cut', isPassing: true }]);
      await settled();
    }
    expect(waits).toEqual([1000, 1000, 1000, 1000, 1000, 4000, 16_000]);
    requests.at(-1)?.answer([{ error: 'cut', isPassing: true }]);
    await settled();
    expect(states(queue)).toEqual(['failed']);
  });

  test('fails alone what the service refuses of a request', async () => {
    const { queue, requests } = openQueue();
    queue.add([file('1'), file('2')]);
    requests[0]?.answer([{ error: 'not an image', isPassing: false }, {}]);
    await settled();
    expect(states(queue)).toEqual(['failed', 'done']);
    expect(queue.summary().counts).toMatchObject({ failed: 1, done: 1 });
  });

  test('stops when it is paused, and begins again', async () => {
    const { queue, requests } = openQueue();
    queue.add([file('1', LARGE)]);
    requests[0]?.onSent(LARGE / 2);
    queue.pause();
    expect(requests[0]?.signal.aborted).toBe(true);
    await settled();
    expect([states(queue), queue.summary().sent, requests.length]).toEqual([['waiting'], 0, 1]);
    queue.resume();
    expect(requests.length).toBe(2);
  });

  test('begins the request of several again without the one that is given up', async () => {
    const { queue, requests } = openQueue();
    queue.add([file('1'), file('2')]);
    const [first] = queue.uploads;
    if (first) queue.cancel(first);
    await settled();
    expect(states(queue)).toEqual(['cancelled', 'sending']);
    expect(requests.map(({ names }) => names)).toEqual([['1', '2'], ['2']]);
  });

  test('gives up everything that has not arrived, and forgets it', async () => {
    const { queue, requests, cancelled } = openQueue();
    queue.add(['1', '2', '3', '4'].map((name) => file(name, LARGE)));
    requests[0]?.answer([{}]);
    await settled();
    queue.cancel();
    expect(cancelled).toEqual(['2', '3', '4']);
    await settled();
    expect(states(queue)).toEqual(['done', 'cancelled', 'cancelled', 'cancelled']);
    queue.clear();
    expect(queue.uploads).toEqual([]);
  });
});
