import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemoryTier } from './memory-tier.ts';

/** Bytes that an entry counts in addition to its own. */
const OVERHEAD = 2048;

const variant = (key: string, size = 4000 - OVERHEAD) => ({ key, bytes: Buffer.alloc(size) });

/** Creates a memory for that many variants of the usual size. */
function memoryFor(count: number) {
  const memory = new MemoryTier<ReturnType<typeof variant>>(count * 4000);
  return {
    put: (key: string, owner = 'owner', size?: number) => memory.set(owner, variant(key, size)),
    ask: (key: string) => memory.get(key) !== undefined,
    memory,
  };
}

describe('the memory', () => {
  test('keeps what was asked for again, however many are asked for once', () => {
    const { put, ask } = memoryFor(10);
    for (const key of ['a', 'b', 'c']) {
      put(key);
      expect(ask(key)).toBe(true);
    }
    for (let n = 0; n < 100; n++) put(`once${n}`);
    expect(['a', 'b', 'c'].map(ask)).toEqual([true, true, true]);
    expect([ask('once99'), ask('once93'), ask('once92')]).toEqual([true, true, false]);
  });

  test('has a fifth for what is new, even when all others were asked for again', () => {
    const { put, ask } = memoryFor(10);
    for (let n = 0; n < 10; n++) {
      put(`hot${n}`);
      ask(`hot${n}`);
    }
    put('new');
    // The least recently used was as old as the new one.
    expect(ask('hot0')).toBe(false);
    expect([ask('new'), ask('hot9')]).toEqual([true, true]);
  });

  test('keeps nothing that would cost all others of its kind', () => {
    const { put, ask } = memoryFor(10);
    for (let n = 0; n < 8; n++) {
      put(`hot${n}`);
      ask(`hot${n}`);
    }
    put('small');
    put('large', 'owner', 10_000);
    expect(ask('large')).toBe(false);
    expect(ask('small')).toBe(true);
  });

  test('replaces a variant in its place', () => {
    const { put, ask, memory } = memoryFor(10);
    put('a');
    ask('a');
    put('a', 'owner', 8000);
    expect(memory.get('a')?.bytes).toHaveLength(8000);
    for (let n = 0; n < 20; n++) put(`once${n}`);
    expect(ask('a')).toBe(true);
  });

  test('forgets all variants of an owner and no other, whatever came before', () => {
    const change = fc.oneof(
      fc.record({ do: fc.constant('put'), key: fc.nat(12), owner: fc.nat(2), size: fc.nat(12_000) }),
      fc.record({ do: fc.constant('ask'), key: fc.nat(12), owner: fc.nat(2), size: fc.constant(0) }),
      fc.record({ do: fc.constant('forget'), key: fc.nat(12), owner: fc.nat(2), size: fc.constant(0) }),
    );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 80 }), (changes) => {
        const { put, ask, memory } = memoryFor(8);
        // A key belongs to one owner.
        const present = new Map<string, number>();
        for (const { do: what, key, owner, size } of changes) {
          const name = `${owner} ${key}`;
          if (what === 'put') {
            put(name, String(owner), size);
            present.set(name, size);
          } else if (what === 'ask') {
            if (ask(name)) expect(memory.get(name)?.bytes).toHaveLength(present.get(name) ?? -1);
          } else {
            memory.evict(String(owner));
            for (const one of present.keys()) if (one.startsWith(`${owner} `)) present.delete(one);
          }
          let bytes = 0;
          for (const [one, expected] of present) if (ask(one)) bytes += expected + OVERHEAD;
          expect(bytes).toBeLessThanOrEqual(32_000);
          for (let n = 0; n <= 12; n++)
            for (const other of [0, 1, 2]) if (!present.has(`${other} ${n}`)) expect(ask(`${other} ${n}`)).toBe(false);
        }
      }),
    );
  });
});
