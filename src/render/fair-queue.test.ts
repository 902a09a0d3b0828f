import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Client, TRUSTED } from '../client.ts';
import { FairQueue, type FairQueueOptions } from './fair-queue.ts';

const UNAVAILABLE = expect.objectContaining({ name: 'HttpProblem', status: 503 });
const TOO_MANY = expect.objectContaining({ name: 'HttpProblem', status: 429 });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A queue whose tasks are named after their network, `a1` and `a2` after `a`, and run until they are ended. */
function open(options: Partial<FairQueueOptions> = {}) {
  const bounds = { size: 2, maxQueued: 100, maxQueuedPerClient: 100, maxWaitMs: 1000 };
  const rest = { purpose: 'testing', heavyMegabytes: 500 };
  const queue = new FairQueue({ ...bounds, ...rest, ...options });
  const inside = new Map<string, () => void>();
  const come = (
    name: string,
    {
      clients = [name[0]] as Client[],
      megabytes = 0,
      signal = AbortSignal.any([]),
      isBackground = false,
      space = '',
    } = {},
  ) => {
    const ticket = queue.ticket(() => clients, signal, isBackground, space);
    if (megabytes > 0) ticket.megabytes = megabytes;
    const result = queue.hold(ticket, async () => {
      await new Promise<void>((leave) => inside.set(name, leave));
      return name;
    });
    result.catch(() => undefined);
    return { ticket, result };
  };
  const settle = () => vi.advanceTimersByTimeAsync(0);
  return {
    queue,
    come,
    /** Holders of a slot. */
    async inside() {
      await settle();
      return [...inside.keys()];
    },
    /** Lets one leave; gives who comes in by that. */
    async leave(name: string) {
      await settle();
      const before = new Set(inside.keys());
      inside.get(name)?.();
      inside.delete(name);
      await settle();
      return [...inside.keys()].filter((one) => !before.has(one));
    },
  };
}

describe('places', () => {
  test('are given first come, first served, and one network alone may have them all', async () => {
    const house = open();
    for (const name of ['a1', 'a2', 'a3', 'a4']) house.come(name);
    expect(await house.inside()).toEqual(['a1', 'a2']);
    expect([house.queue.used, house.queue.queued]).toEqual([2, 2]);
    expect(await house.leave('a2')).toEqual(['a3']);
    expect(await house.leave('a1')).toEqual(['a4']);
    await house.leave('a3');
    await house.leave('a4');
    expect([house.queue.used, house.queue.queued]).toEqual([0, 0]);
  });

  test('are free again after an error', async () => {
    const { queue } = open({ size: 1 });
    const ticket = queue.ticket(() => ['a'], undefined);
    await expect(queue.hold(ticket, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    const throws = () => {
      throw new Error('at once');
    };
    await expect(queue.hold(ticket, throws)).rejects.toThrow('at once');
    expect(queue.used).toBe(0);
    expect(await queue.hold(ticket, async () => 'fine')).toBe('fine');
  });
});

describe('spaces that wait', () => {
  test('take turns, the library among them, and in each its networks', async () => {
    const house = open({ size: 1 });
    for (const name of ['a1', 'a2', 'a3', 'b1']) house.come(name, { space: 'acme' });
    for (const name of ['c1', 'c2']) house.come(name, { space: 'beta' });
    house.come('d1');
    const served: string[] = [];
    for (let [next] = await house.inside(); next; [next] = await house.leave(next)) served.push(next);
    expect(served).toEqual(['a1', 'c1', 'd1', 'b1', 'c2', 'a2', 'a3']);
  });

  test('of one network have a turn each', async () => {
    const house = open({ size: 1 });
    for (const name of ['a1', 'a2', 'a3']) house.come(name, { clients: [TRUSTED], space: 'acme' });
    house.come('b1', { clients: [TRUSTED], space: 'beta' });
    expect(await house.inside()).toEqual(['a1']);
    expect(await house.leave('a1')).toEqual(['b1']);
    expect(await house.leave('b1')).toEqual(['a2']);
  });

  test('leave half of the places to others', async () => {
    const house = open({ size: 4 });
    for (const name of ['a1', 'b1', 'c1', 'd1', 'e1', 'f1']) house.come(name, { space: 'acme' });
    expect(await house.inside()).toEqual(['a1', 'b1', 'c1', 'd1']);
    for (const name of ['x1', 'x2', 'x3']) house.come(name, { space: 'beta' });
    expect(await house.leave('a1')).toEqual(['x1']);
    expect(await house.leave('b1')).toEqual(['x2']);
    expect(await house.leave('c1')).toEqual(['e1']);
  });
});

describe('networks that wait', () => {
  test('take turns, however many pieces of work each has brought', async () => {
    const house = open({ size: 1 });
    for (let n = 1; n <= 50; n++) house.come(`a${n}`);
    for (const name of ['b1', 'b2', 'c1']) house.come(name);
    const served: string[] = [];
    for (let [next] = await house.inside(); next && served.length < 8; [next] = await house.leave(next))
      served.push(next);
    expect(served).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4', 'a5']);
  });

  test('are served before one that holds half of the places, which gets more only when nobody else wants them', async () => {
    const house = open({ size: 4 });
    for (let n = 1; n <= 9; n++) house.come(`a${n}`);
    expect(await house.inside()).toEqual(['a1', 'a2', 'a3', 'a4']);
    for (const name of ['b1', 'b2', 'b3']) house.come(name);
    expect(await house.leave('a1')).toEqual(['b1']);
    expect(await house.leave('a2')).toEqual(['b2']);
    // Two and two: now it is a matter of turns.
    expect(await house.leave('a3')).toEqual(['a5']);
    expect(await house.leave('b1')).toEqual(['b3']);
    expect(await house.leave('b2')).toEqual(['a6']);
    expect(await house.leave('b3')).toEqual(['a7']);
  });

  test('count as one when they have shown a key or a session', async () => {
    const house = open({ size: 1 });
    for (const name of ['x1', 'x2', 'x3']) house.come(name, { clients: [TRUSTED] });
    house.come('a1');
    expect(await house.inside()).toEqual(['x1']);
    expect(await house.leave('x1')).toEqual(['a1']);
    expect(await house.leave('a1')).toEqual(['x2']);
  });
});

describe('work that several networks want', () => {
  test('advances by the turn of each', async () => {
    const house = open({ size: 1 });
    for (let n = 1; n <= 9; n++) house.come(`a${n}`);
    const shared: Client[] = ['a'];
    house.come('popular', { clients: shared });
    house.come('c1');
    shared.push('b');
    expect(await house.leave('a1')).toEqual(['popular']);
    expect(await house.leave('popular')).toEqual(['c1']);
    expect(await house.leave('c1')).toEqual(['a2']);
  });

  test('no longer advances by the turn of a network that has left', async () => {
    const house = open({ size: 1 });
    for (const name of ['a1', 'a2', 'a3']) house.come(name);
    const shared: Client[] = ['a', 'b'];
    house.come('popular', { clients: shared });
    house.come('c1');
    shared.pop();
    expect(await house.leave('a1')).toEqual(['c1']);
    expect(await house.leave('c1')).toEqual(['a2']);
  });
});

describe('heavy work', () => {
  test('is passed by light work, and never holds more than half of the places', async () => {
    const house = open({ size: 4 });
    for (const name of ['a1', 'b1', 'c1']) house.come(name, { megabytes: 10 });
    house.come('a2');
    house.come('a3');
    expect(await house.inside()).toEqual(['a1', 'b1', 'a2', 'a3']);
    expect(await house.leave('a2')).toEqual([]);
    house.come('d1');
    expect(await house.inside()).toEqual(['a1', 'b1', 'a3', 'd1']);
    expect(await house.leave('a1')).toEqual(['c1']);
  });

  test('holds no more memory together than it may; a piece that needs more runs alone', async () => {
    const house = open({ size: 8, heavyMegabytes: 500 });
    house.come('a1', { megabytes: 300 });
    house.come('b1', { megabytes: 150 });
    house.come('c1', { megabytes: 900 });
    expect(await house.inside()).toEqual(['a1', 'b1']);
    // It would fit, but what needs more came first: it would wait for ever.
    house.come('d1', { megabytes: 20 });
    expect(await house.leave('a1')).toEqual([]);
    expect(await house.leave('b1')).toEqual(['c1']);
    expect(await house.leave('c1')).toEqual(['d1']);
  });

  test('that turns out to be heavy while it runs keeps its turn and is not refused by a full queue', async () => {
    const house = open({ size: 1, maxQueued: 3 });
    const { ticket, result } = house.come('a1');
    house.come('a2');
    house.come('a3');
    await house.leave('a1');
    await result;
    house.come('a4');
    ticket.megabytes = 100;
    const again = house.queue.hold(ticket, async () => 'heavy');
    expect([house.queue.used, house.queue.queued]).toEqual([1, 3]);
    await house.leave('a2');
    expect(await again).toBe('heavy');
    expect(await house.inside()).toEqual(['a3']);
  });
});

describe('work in the background', () => {
  const isBackground = true;

  test('gets at most half of the places, also while nobody else is there', async () => {
    const house = open({ size: 4 });
    for (const name of ['x1', 'x2', 'x3']) house.come(name, { isBackground });
    expect(await house.inside()).toEqual(['x1', 'x2']);
    expect([house.queue.used, house.queue.queued]).toEqual([2, 0]);
    expect(await house.leave('x1')).toEqual(['x3']);
    for (const name of ['a1', 'a2']) house.come(name);
    expect(await house.inside()).toEqual(['x2', 'x3', 'a1', 'a2']);
  });

  test('waits until nobody else does, so that nobody waits for more than one piece of it', async () => {
    const house = open({ size: 1 });
    for (const name of ['x1', 'x2']) house.come(name, { isBackground });
    for (const name of ['a1', 'b1', 'a2']) house.come(name);
    expect(await house.inside()).toEqual(['x1']);
    const served: string[] = [];
    for (let [next] = await house.leave('x1'); next; [next] = await house.leave(next)) served.push(next);
    expect(served).toEqual(['a1', 'b1', 'a2', 'x2']);
    expect([house.queue.used, house.queue.queued]).toEqual([0, 0]);
  });

  test('also waits while work of somebody is too heavy for the moment, and begins when that leaves', async () => {
    const house = open({ size: 2 });
    const leaver = new AbortController();
    house.come('a1', { megabytes: 400 });
    const { result } = house.come('b1', { megabytes: 400, signal: leaver.signal });
    house.come('x1', { isBackground });
    expect(await house.inside()).toEqual(['a1']);
    leaver.abort(new Error('gone'));
    await expect(result).rejects.toThrow('gone');
    expect(await house.inside()).toEqual(['a1', 'x1']);
  });

  test('that is heavy waits for room, while lighter work passes it', async () => {
    const house = open({ size: 4 });
    for (const name of ['a1', 'b1']) house.come(name, { megabytes: 200 });
    house.come('x1', { isBackground, megabytes: 50 });
    house.come('x2', { isBackground });
    expect(await house.inside()).toEqual(['a1', 'b1', 'x2']);
    expect(await house.leave('a1')).toEqual(['x1']);
  });

  test('takes no place in the queue from anybody, is never refused and may wait for ever', async () => {
    const house = open({ size: 1, maxQueued: 1 });
    house.come('a1');
    for (const name of ['x1', 'x2', 'x3']) house.come(name, { isBackground });
    house.come('b1');
    expect(house.queue.queued).toBe(1);
    await house.leave('a1');
    await vi.advanceTimersByTimeAsync(100_000);
    expect(await house.leave('b1')).toEqual(['x1']);
  });

  test('takes no turn from anybody', async () => {
    const house = open({ size: 1 });
    house.come('a1');
    house.come('u1', { clients: [TRUSTED] });
    house.come('x1', { isBackground });
    expect(await house.leave('a1')).toEqual(['u1']);
    expect(await house.leave('u1')).toEqual(['x1']);
    for (const name of ['a2', 'a3']) house.come(name);
    house.come('u2', { clients: [TRUSTED] });
    expect(await house.leave('x1')).toEqual(['a2']);
    expect(await house.leave('a2')).toEqual(['u2']);
  });

  test('leaves its wait when its signal aborts', async () => {
    const house = open({ size: 1 });
    const leaver = new AbortController();
    house.come('a1');
    const { result } = house.come('x1', { isBackground, signal: leaver.signal });
    leaver.abort(new Error('gone'));
    await expect(result).rejects.toThrow('gone');
    expect(await house.leave('a1')).toEqual([]);
    expect(house.queue.used).toBe(0);
  });
});

describe('the queue', () => {
  test('refuses one more than may wait with 503 and Retry-After', async () => {
    const house = open({ size: 1, maxQueued: 1 });
    house.come('a1');
    house.come('b1');
    const { result } = house.come('c1');
    await expect(result).rejects.toEqual(UNAVAILABLE);
    await expect(result).rejects.toMatchObject({ headers: { 'Retry-After': '5' } });
    await expect(result).rejects.toThrow('The queue for testing is full: 1 requests wait (RENDER_QUEUE_MAX).');
    expect(house.queue.queued).toBe(1);
    expect(await house.leave('a1')).toEqual(['b1']);
  });

  test('of no length refuses at once', async () => {
    const house = open({ size: 1, maxQueued: 0 });
    house.come('a1');
    await expect(house.come('b1').result).rejects.toEqual(UNAVAILABLE);
    await house.leave('a1');
    house.come('c1');
    expect(await house.inside()).toEqual(['c1']);
  });

  test('refuses more than the share of one network with 429 and takes others; keys and sessions have no share', async () => {
    const house = open({ size: 1, maxQueued: 8, maxQueuedPerClient: 2 });
    for (const name of ['a1', 'a2', 'a3']) house.come(name);
    const { result } = house.come('a4');
    await expect(result).rejects.toEqual(TOO_MANY);
    await expect(result).rejects.toMatchObject({ headers: { 'Retry-After': '5' } });
    await expect(result).rejects.toThrow(
      '2 requests of this address wait for testing already (RENDER_QUEUE_MAX_PER_CLIENT).',
    );
    for (const name of ['b1', 'b2']) house.come(name);
    for (const name of ['x1', 'x2', 'x3', 'x4']) house.come(name, { clients: [TRUSTED] });
    expect(house.queue.queued).toBe(8);
    await expect(house.come('c1').result).rejects.toEqual(UNAVAILABLE);
  });

  test('has a tenth reserved for keys and sessions: all other networks together have nine tenths', async () => {
    const house = open({ size: 1, maxQueued: 20, maxQueuedPerClient: 5 });
    house.come('_1');
    const names = [...'abcdefghijklmnopqr'];
    expect(names).toHaveLength(18);
    for (const name of names) house.come(name);
    const { result } = house.come('s');
    await expect(result).rejects.toEqual(UNAVAILABLE);
    await expect(result).rejects.toThrow('full for clients without a key or a session: 18 of their requests wait.');
    for (const name of ['T1', 'T2']) house.come(name, { clients: [TRUSTED] });
    expect(house.queue.queued).toBe(20);
    await expect(house.come('T3', { clients: [TRUSTED] }).result).rejects.toEqual(UNAVAILABLE);
    await expect(house.come('t').result).rejects.toThrow('20 requests wait (RENDER_QUEUE_MAX).');
    const served: string[] = [];
    for (let [next] = await house.inside(); next; [next] = await house.leave(next)) served.push(next);
    expect(served).toEqual(['_1', ...names, 'T1', 'T2']);
  });

  test('counts work that a key or a session wants too as theirs', async () => {
    const house = open({ size: 1, maxQueued: 10 });
    house.come('_1');
    const shared: Client[] = ['a'];
    house.come('a1', { clients: shared });
    for (const name of 'bcdefghi') house.come(name);
    await expect(house.come('j').result).rejects.toEqual(UNAVAILABLE);
    shared.push(TRUSTED);
    house.come('k');
    expect(house.queue.queued).toBe(10);
  });

  test('is open to keys and sessions as a whole', async () => {
    const house = open({ size: 1, maxQueued: 5 });
    house.come('_1');
    for (const name of ['T1', 'T2', 'T3', 'T4', 'T5']) house.come(name, { clients: [TRUSTED] });
    expect(house.queue.queued).toBe(5);
    await expect(house.come('a').result).rejects.toEqual(UNAVAILABLE);
  });

  test('ends a wait that is too long in all with 503', async () => {
    const house = open({ size: 1 });
    house.come('a1');
    const waiting = house.come('b1');
    await vi.advanceTimersByTimeAsync(999);
    expect(house.queue.queued).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    await expect(waiting.result).rejects.toEqual(UNAVAILABLE);
    await expect(waiting.result).rejects.toThrow(
      'Timed out after 1000 ms waiting for a slot for testing (RENDER_QUEUE_WAIT_MS).',
    );
    expect(house.queue.queued).toBe(0);

    const { ticket, result } = house.come('c1');
    await vi.advanceTimersByTimeAsync(600);
    await house.leave('a1');
    await house.leave('c1');
    expect(await result).toBe('c1');
    house.come('d1');
    const again = house.queue.hold(ticket, async () => 'more');
    again.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(400);
    await expect(again).rejects.toEqual(UNAVAILABLE);
  });

  test('is left when a signal aborts, with the reason of the signal', async () => {
    const house = open({ size: 1, maxQueued: 1 });
    const leaver = new AbortController();
    house.come('a1');
    const { result } = house.come('b1', { signal: leaver.signal });
    leaver.abort(new Error('gone'));
    await expect(result).rejects.toThrow('gone');
    expect(house.queue.queued).toBe(0);
    await expect(house.come('c1', { signal: leaver.signal }).result).rejects.toThrow('gone');
    house.come('d1');
    expect(await house.leave('a1')).toEqual(['d1']);
    await house.leave('d1');
    expect([house.queue.used, vi.getTimerCount()]).toEqual([0, 0]);
  });
});
