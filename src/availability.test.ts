import { afterEach, describe, expect, test } from 'vitest';
import { Availability } from './availability.ts';
import { unavailable } from './errors.ts';

const refused = new Error('refused');
const lost = unavailable('lost', 'database_unavailable', 2);
const opened: Availability[] = [];

afterEach(() => {
  for (const availability of opened.splice(0)) availability.close();
});

/** A dependency that fails as long as the test says so. */
function create(probe?: () => Promise<void>, intervalMs = 1) {
  const server = { failure: refused as Error | undefined, probes: 0, reports: [] as string[] };
  const availability = new Availability(async () => {
    server.probes++;
    if (probe) await probe();
    else if (server.failure) throw server.failure;
  }, intervalMs);
  availability.onChange((failure) => server.reports.push(failure instanceof Error ? failure.message : 'recovered'));
  opened.push(availability);
  return { server, availability };
}

describe('a failed request', () => {
  test('opens the circuit when a probe fails as well; a probe that succeeds closes it', async () => {
    const { server, availability } = create();
    const suspected = availability.suspect();
    expect(availability.isAvailable).toBe(true);
    await suspected;
    expect(availability.isAvailable).toBe(false);
    await expect.poll(() => server.probes).toBeGreaterThan(2);
    expect(availability.isAvailable).toBe(false);
    server.failure = undefined;
    await expect.poll(() => availability.isAvailable).toBe(true);
    expect(server.reports).toEqual(['refused', 'recovered']);
  });

  test('opens nothing when the probe succeeds: its object may be to blame', async () => {
    const { server, availability } = create();
    server.failure = undefined;
    await availability.suspect();
    expect(server.probes).toBe(1);
    expect(availability.isAvailable).toBe(true);
    expect(server.reports).toEqual([]);
  });

  test('opens nothing when another request was answered while the probe failed', async () => {
    const begun = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const { server, availability } = create(() => {
      begun.resolve();
      return held.promise;
    });
    const suspected = availability.suspect();
    await begun.promise;
    availability.answered();
    held.reject(refused);
    await suspected;
    expect(availability.isAvailable).toBe(true);
    expect(server.reports).toEqual([]);
  });

  test('that concerns all requests opens it without a probe, unless another was answered', () => {
    const { server, availability } = create();
    availability.answered();
    availability.failed(refused, performance.now() - 60_000);
    expect(availability.isAvailable).toBe(true);
    availability.failed(refused, performance.now() + 60_000);
    expect([availability.isAvailable, server.reports]).toEqual([false, ['refused']]);
  });

  test('triggers another probe when the current one began before it', async () => {
    const held = Promise.withResolvers<void>();
    const { server, availability } = create(() => held.promise);
    const first = availability.suspect();
    await expect.poll(() => server.probes).toBe(1);
    const second = availability.suspect();
    held.resolve();
    await Promise.all([first, second]);
    expect(server.probes).toBe(2);
  });
});

describe('while the circuit is open', () => {
  test('a request waits for the next probe, and fails with its error', async () => {
    const { server, availability } = create();
    availability.open(new Error('opened'));
    await expect(availability.admit()).rejects.toThrow('refused');
    server.failure = undefined;
    await availability.admit();
    expect(availability.isAvailable).toBe(true);
  });

  test('the first request after an outage passes, also while an earlier probe hangs', async () => {
    let probes = 0;
    const { availability } = create(() => (probes++ === 0 ? new Promise(() => undefined) : Promise.resolve()));
    availability.open(refused);
    await expect(availability.admit()).rejects.toThrow('refused');
    await availability.admit();
    expect(availability.isAvailable).toBe(true);
  });

  test('an earlier probe that hung and fails late changes nothing after the recovery', async () => {
    const hung = Promise.withResolvers<void>();
    let probes = 0;
    const { availability } = create(() => (probes++ === 0 ? hung.promise : Promise.resolve()));
    availability.open(refused);
    await expect.poll(() => availability.isAvailable).toBe(true);
    hung.reject(refused);
    await new Promise((resolve) => setImmediate(resolve));
    expect(availability.isAvailable).toBe(true);
  });

  test('each failure is reported once, and the recovery', async () => {
    const { server, availability } = create();
    availability.open(refused);
    server.failure = new Error('tables of a newer version');
    await expect.poll(() => server.reports).toEqual(['refused', 'tables of a newer version']);
    expect(availability.isAvailable).toBe(false);
    server.failure = undefined;
    await expect.poll(() => server.reports).toEqual(['refused', 'tables of a newer version', 'recovered']);
  });

  test('nothing is probed or reported any more after it was closed', async () => {
    const held = Promise.withResolvers<void>();
    const { server, availability } = create(() => held.promise);
    availability.open(refused);
    await expect.poll(() => server.probes).toBe(1);
    const waiting = availability.admit();
    availability.close();
    held.reject(new Error('connections destroyed'));
    await expect(waiting).rejects.toThrow();
    expect([server.probes, server.reports]).toEqual([1, ['refused']]);
  });
});

describe('a watched request', () => {
  test('that is slow triggers a probe, and is aborted when that fails', async () => {
    const { availability } = create();
    const aborted = Promise.withResolvers<void>();
    const end = availability.watch(1, aborted.resolve);
    await aborted.promise;
    expect(availability.isAvailable).toBe(false);
    end();
  });

  test('that is slow alone goes on', async () => {
    const { server, availability } = create();
    server.failure = undefined;
    let isAborted = false;
    const end = availability.watch(1, () => {
      isAborted = true;
    });
    await expect.poll(() => server.probes).toBe(1);
    expect([isAborted, availability.isAvailable]).toEqual([false, true]);
    end();
  });
});

describe('a step that waits for the dependency', () => {
  test('runs in its order, and again when it loses the dependency', async () => {
    const { server, availability } = create();
    const done: string[] = [];
    await availability.whenAvailable(async () => void done.push('immediately'));
    availability.open(refused);
    let hasLost = false;
    await availability.whenAvailable(async () => {
      done.push('first');
      if (hasLost) return;
      hasLost = true;
      throw lost;
    });
    await availability.whenAvailable(async () => void done.push('second'));
    expect(done).toEqual(['immediately']);
    server.failure = undefined;
    await expect.poll(() => done).toEqual(['immediately', 'first', 'first', 'second']);
    await expect.poll(() => server.reports).toEqual(['refused', 'lost', 'recovered']);
  });

  test('is retried when it loses the dependency immediately, and fails when it fails for another reason', async () => {
    const { server, availability } = create();
    server.failure = undefined;
    let attempts = 0;
    await availability.whenAvailable(async () => {
      if (attempts++ === 0) throw lost;
    });
    await expect.poll(() => attempts).toBe(2);
    const failing = availability.whenAvailable(() => Promise.reject(new Error('a mistake')));
    await expect(failing).rejects.toThrow('a mistake');
  });

  test('runs once, however long it takes and however many probes succeed meanwhile', async () => {
    const { server, availability } = create();
    availability.open(refused);
    const held = Promise.withResolvers<void>();
    let attempts = 0;
    await availability.whenAvailable(() => {
      attempts++;
      return held.promise;
    });
    server.failure = undefined;
    await expect.poll(() => attempts).toBe(1);
    await availability.suspect();
    await availability.suspect();
    expect([attempts, server.reports]).toEqual([1, ['refused']]);
    held.resolve();
    await expect.poll(() => server.reports).toEqual(['refused', 'recovered']);
  });
});
