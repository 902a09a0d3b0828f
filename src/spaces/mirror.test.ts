import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Log } from '../log.ts';
import { parsePath } from '../path.ts';
import { createMirror, type Mirror, mirrorOf, spacesOf } from './mirror.ts';
import { createSpaceRegistry, type SpaceRegistry } from './registry.ts';
import type { Space } from './space.ts';

const log = pino({ level: 'silent' }) as unknown as Log;

const ACME: Space = {
  id: 'acme',
  name: 'Acme',
  folder: parsePath('customers/acme'),
  isEnabled: true,
  hosts: ['media.acme.test'],
  rules: { originals: 'protected', privateFolders: [parsePath('inner')] },
  secret: 'a secret of forty-three characters, at least',
  previousSecret: { secret: 'an earlier one', until: 1 },
  createdAt: '2026-01-01T00:00:00.000Z',
};
const OPENED: Space = { ...ACME, rules: {} };

let registry: SpaceRegistry;
let stored: string | undefined;
let inDatabase: Space[];
let isConnected: boolean;
let mirrors: Mirror[];
beforeEach(() => {
  vi.useFakeTimers();
  registry = createSpaceRegistry();
  stored = undefined;
  inDatabase = [];
  isConnected = false;
  mirrors = [];
});
afterEach(() => {
  for (const mirror of mirrors) mirror.close();
  vi.useRealTimers();
});

const text = {
  read: vi.fn(async () => stored),
  write: vi.fn(async (written: string) => {
    stored = written;
  }),
};

function open(): Mirror {
  const mirror = createMirror({ text, registry, read: async () => inDatabase, isConnected: () => isConnected, log });
  mirrors.push(mirror);
  return mirror;
}

test('has the rules of all spaces, and no secret', () => {
  const written = mirrorOf([ACME]);
  expect(written).not.toMatch(/secret of|earlier/);
  expect(spacesOf(written)).toEqual([{ ...ACME, secret: undefined, previousSecret: undefined, createdAt: undefined }]);
});

test('is read at a start without the database; without a copy there are no spaces', async () => {
  await open().start();
  expect(registry.list()).toEqual([]);
  stored = mirrorOf([ACME]);
  await open().start();
  expect(registry.list()).toMatchObject([{ id: 'acme', rules: ACME.rules, secret: undefined }]);
});

test('a damaged copy stops the start: what it withheld is unknown', async () => {
  stored = '[{"id":"acme"';
  await expect(open().start()).rejects.toThrow();
});

test('is not applied where the database was read', async () => {
  stored = mirrorOf([ACME]);
  const mirror = open();
  const starting = mirror.start();
  mirror.noteReading();
  await starting;
  expect(registry.list()).toEqual([]);
});

test('is read again while other nodes are not heard, with the secrets that this node knows', async () => {
  registry.replace([OPENED]);
  open();
  stored = mirrorOf([ACME]);
  await vi.advanceTimersByTimeAsync(5000);
  expect(registry.list()).toEqual([ACME]);
  stored = undefined;
  await vi.advanceTimersByTimeAsync(5000);
  expect(registry.list()).toEqual([ACME]);
  stored = mirrorOf([]);
  await vi.advanceTimersByTimeAsync(5000);
  expect(registry.list()).toEqual([]);
});

test('is not read while other nodes are heard', async () => {
  isConnected = true;
  registry.replace([OPENED]);
  open();
  stored = mirrorOf([ACME]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(registry.list()).toEqual([OPENED]);
});

test('has the last change, also if another node writes its own between the reading and the write', async () => {
  inDatabase = [OPENED];
  text.write.mockImplementationOnce(async (written) => {
    inDatabase = [ACME];
    stored = written;
  });
  await open().write();
  expect(stored).toBe(mirrorOf([ACME]));
});

test('a failed write is no success, and is repeated', async () => {
  inDatabase = [ACME];
  text.write.mockImplementationOnce(async () => Promise.reject(new Error('The bucket is down.')));
  await expect(open().write()).rejects.toThrow('The bucket is down.');
  await vi.advanceTimersByTimeAsync(1000);
  expect(stored).toBe(mirrorOf([ACME]));
});

test('is repaired by a start with the database, and is not written where there were no spaces', async () => {
  const start = async () => {
    const mirror = open();
    mirror.noteReading();
    await mirror.start();
    await vi.advanceTimersByTimeAsync(10);
  };
  await start();
  expect(stored).toBeUndefined();
  inDatabase = [ACME];
  await start();
  expect(stored).toBe(mirrorOf([ACME]));
});
