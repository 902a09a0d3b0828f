import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Abandoned, LATE, SingleFlight, Slots, within } from './concurrency.ts';

const UNAVAILABLE = expect.objectContaining({ name: 'HttpProblem', status: 503 });

/** Work that ends when it is told to, and ends at once when it is aborted. */
function controllable() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const signals: AbortSignal[] = [];
  const work = (signal: AbortSignal) => {
    signals.push(signal);
    signal.addEventListener('abort', () => reject(signal.reason));
    return promise;
  };
  return { work, signals, resolve, reject };
}

function controllers(count: number): AbortController[] {
  return Array.from({ length: count }, () => new AbortController());
}

describe('a single flight', () => {
  test('does one piece of work for a thousand that ask for the same', async () => {
    const flights = new SingleFlight<string>();
    const { work, signals, resolve } = controllable();
    const results = Array.from({ length: 1000 }, () => flights.run('key', undefined, work));
    resolve('done');
    expect(new Set(await Promise.all(results))).toEqual(new Set(['done']));
    expect(signals).toHaveLength(1);
  });

  test('does one piece of work for each key', async () => {
    const flights = new SingleFlight<string>();
    const work = async () => 'done';
    const spy = vi.fn(work);
    await Promise.all([flights.run('a', undefined, spy), flights.run('b', undefined, spy)]);
    expect(spy).toHaveBeenCalledTimes(2);
  });

  test('goes on for the others when one leaves, who leaves with the reason of its own signal', async () => {
    const flights = new SingleFlight<string>();
    const { work, signals, resolve } = controllable();
    const leaver = new AbortController();
    const left = flights.run('key', leaver.signal, work);
    const stayed = flights.run('key', undefined, work);
    leaver.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(signals[0]?.aborted).toBe(false);
    resolve('done');
    expect(await stayed).toBe('done');
  });

  test('stops when the last one has left', async () => {
    const flights = new SingleFlight<string>();
    const { work, signals } = controllable();
    const leavers = controllers(2);
    const results = leavers.map(({ signal }) => flights.run('key', signal, work));
    leavers[0]?.abort();
    await expect(results[0]).rejects.toThrow();
    expect(signals[0]?.aborted).toBe(false);
    leavers[1]?.abort();
    await expect(results[1]).rejects.toThrow();
    expect(signals[0]?.aborted).toBe(true);
    expect(signals[0]?.reason).toBeInstanceOf(Abandoned);
  });

  test('starts anew for one who comes after the work was abandoned', async () => {
    const flights = new SingleFlight<string>();
    const { work } = controllable();
    const leaver = new AbortController();
    const left = flights.run('key', leaver.signal, work);
    leaver.abort();
    await expect(left).rejects.toThrow();
    expect(await flights.run('key', undefined, async () => 'second')).toBe('second');
  });

  test('starts anew for one who comes while abandoned work still winds down', async () => {
    const flights = new SingleFlight<string>();
    const stubborn = Promise.withResolvers<string>();
    const leaver = new AbortController();
    const left = flights.run('key', leaver.signal, () => stubborn.promise);
    leaver.abort();
    await expect(left).rejects.toThrow();
    const next = controllable();
    const second = flights.run('key', undefined, next.work);
    stubborn.resolve('late');
    await stubborn.promise;
    const third = flights.run('key', undefined, next.work);
    next.resolve('second');
    expect(await Promise.all([second, third])).toEqual(['second', 'second']);
    expect(next.signals).toHaveLength(1);
  });

  test('starts anew once it has landed: results are not kept', async () => {
    const flights = new SingleFlight<number>();
    let count = 0;
    const work = async () => ++count;
    expect(await flights.run('key', undefined, work)).toBe(1);
    expect(await flights.run('key', undefined, work)).toBe(2);
  });

  test('takes its error to all, and the next one starts anew', async () => {
    const flights = new SingleFlight<string>();
    const { work, reject } = controllable();
    const results = [flights.run('key', undefined, work), flights.run('key', undefined, work)];
    reject(new Error('broken'));
    for (const result of results) await expect(result).rejects.toThrow('broken');
    expect(await flights.run('key', undefined, async () => 'fine')).toBe('fine');
  });

  test('is not boarded by one who has already left', async () => {
    const flights = new SingleFlight<string>();
    const spy = vi.fn(async () => 'done');
    await expect(flights.run('key', AbortSignal.abort(new Error('gone')), spy)).rejects.toThrow('gone');
    expect(spy).not.toHaveBeenCalled();
  });

  test('an error that nobody waits for any more is no unhandled rejection', async () => {
    const flights = new SingleFlight<string>();
    const { work, reject } = controllable();
    const leaver = new AbortController();
    const left = flights.run('key', leaver.signal, work);
    leaver.abort();
    await expect(left).rejects.toThrow();
    reject(new Error('too late'));
    await new Promise(setImmediate);
  });
});

describe('slots', () => {
  const options = { size: 2, maxQueued: 3, maxWaitMs: 1000, purpose: 'testing' };

  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Work that stays in its slot until it is told to leave. */
  function guest(slots: Slots, log: string[], name: string, signal?: AbortSignal) {
    const stay = Promise.withResolvers<void>();
    const result = slots.use(signal, async () => {
      log.push(name);
      await stay.promise;
      return name;
    });
    result.catch(() => undefined);
    return { result, leave: stay.resolve, fail: stay.reject };
  }

  test('run as many as there are places, the others wait, first come, first served', async () => {
    const slots = new Slots(options);
    const log: string[] = [];
    const guests = ['a', 'b', 'c', 'd'].map((name) => guest(slots, log, name));
    await vi.advanceTimersByTimeAsync(0);
    expect(log).toEqual(['a', 'b']);
    expect([slots.used, slots.queued]).toEqual([2, 2]);
    guests[1]?.leave();
    expect(await guests[1]?.result).toBe('b');
    await vi.advanceTimersByTimeAsync(0);
    expect(log).toEqual(['a', 'b', 'c']);
    guests[0]?.leave();
    await vi.advanceTimersByTimeAsync(0);
    expect(log).toEqual(['a', 'b', 'c', 'd']);
    for (const { leave, result } of guests) {
      leave();
      await result;
    }
    expect([slots.used, slots.queued]).toEqual([0, 0]);
  });

  test('refuse one more than may wait with 503 and Retry-After', async () => {
    const slots = new Slots({ ...options, size: 1, maxQueued: 1 });
    const log: string[] = [];
    const first = guest(slots, log, 'a');
    const second = guest(slots, log, 'b');
    const refused = slots.use(undefined, async () => 'c');
    await expect(refused).rejects.toEqual(UNAVAILABLE);
    await expect(refused).rejects.toMatchObject({ headers: { 'Retry-After': '5' } });
    await expect(refused).rejects.toThrow('The queue for testing is full (1 waiting).');
    first.leave();
    second.leave();
    expect(await second.result).toBe('b');
  });

  test('without a queue refuse at once', async () => {
    const slots = new Slots({ ...options, size: 1, maxQueued: 0 });
    const only = guest(slots, [], 'a');
    await expect(slots.use(undefined, async () => 'b')).rejects.toEqual(UNAVAILABLE);
    only.leave();
    await only.result;
    expect(await slots.use(undefined, async () => 'c')).toBe('c');
  });

  test('end a wait that is too long with 503, and its place in the queue is free again', async () => {
    const slots = new Slots({ ...options, size: 1, maxQueued: 1 });
    const log: string[] = [];
    const first = guest(slots, log, 'a');
    const waiting = guest(slots, log, 'b');
    await vi.advanceTimersByTimeAsync(999);
    expect(slots.queued).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    await expect(waiting.result).rejects.toEqual(UNAVAILABLE);
    await expect(waiting.result).rejects.toThrow('Timed out after 1000 ms in the queue for testing.');
    expect(slots.queued).toBe(0);
    const next = guest(slots, log, 'c');
    first.leave();
    next.leave();
    expect(await next.result).toBe('c');
    expect(log).toEqual(['a', 'c']);
  });

  test('do not count the time in the place as waiting', async () => {
    const slots = new Slots({ ...options, size: 1 });
    const first = guest(slots, [], 'a');
    const second = guest(slots, [], 'b');
    await vi.advanceTimersByTimeAsync(900);
    first.leave();
    await vi.advanceTimersByTimeAsync(5000);
    second.leave();
    expect(await second.result).toBe('b');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('give up the queue place of one whose signal aborts', async () => {
    const slots = new Slots({ ...options, size: 1, maxQueued: 1 });
    const log: string[] = [];
    const leaver = new AbortController();
    const first = guest(slots, log, 'a');
    const gone = guest(slots, log, 'b', leaver.signal);
    leaver.abort(new Error('gone'));
    await expect(gone.result).rejects.toThrow('gone');
    expect(slots.queued).toBe(0);
    const next = guest(slots, log, 'c');
    first.leave();
    next.leave();
    await next.result;
    expect(log).toEqual(['a', 'c']);
    expect(slots.used).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('do not begin for one who has already left', async () => {
    const slots = new Slots(options);
    await expect(slots.use(AbortSignal.abort(new Error('gone')), async () => 'a')).rejects.toThrow('gone');
    expect(slots.used).toBe(0);
  });

  test('are free again after an error, also a synchronous one', async () => {
    const slots = new Slots({ ...options, size: 1 });
    await expect(slots.use(undefined, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    const throws = () => {
      throw new Error('at once');
    };
    await expect(slots.use(undefined, throws)).rejects.toThrow('at once');
    expect(slots.used).toBe(0);
    expect(await slots.use(undefined, async () => 'fine')).toBe('fine');
  });

  test('hand a failed one on to the one that waits', async () => {
    const slots = new Slots({ ...options, size: 1 });
    const first = guest(slots, [], 'a');
    const second = guest(slots, [], 'b');
    first.fail(new Error('broken'));
    second.leave();
    await expect(first.result).rejects.toThrow('broken');
    expect(await second.result).toBe('b');
  });
});

describe('a wait with an end', () => {
  const never = new Promise<string>(() => undefined);

  test('gives the result that comes in time, or its error', async () => {
    expect(await within(Promise.resolve('here'), 60_000)).toBe('here');
    await expect(within(Promise.reject(new Error('broken')), 60_000)).rejects.toThrow('broken');
  });

  test('is over when the time is up, also when there is none left', async () => {
    expect(await within(never, 1)).toBe(LATE);
    expect(await within(never, -1)).toBe(LATE);
  });

  test('is over when it is aborted, with its reason', async () => {
    const abort = new AbortController();
    const waiting = within(never, 60_000, abort.signal);
    abort.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    await expect(within(never, 60_000, abort.signal)).rejects.toThrow('left');
  });
});
