import { afterEach, expect, test, vi } from 'vitest';
import { storedChoice } from './stored-choice.ts';

afterEach(() => vi.unstubAllGlobals());

function stubStorage(isBlocked = false) {
  const stored = new Map<string, string>();
  const guard = <T>(work: () => T): T => {
    if (isBlocked) throw new Error('Blocked.');
    return work();
  };
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => guard(() => stored.get(key) ?? null),
    setItem: (key: string, value: string) => guard(() => stored.set(key, value)),
    removeItem: (key: string) => guard(() => stored.delete(key)),
  });
  return stored;
}

test('the usual value is not stored, another one is, and is applied', () => {
  const stored = stubStorage();
  const applied = vi.fn();
  const choice = storedChoice('k', ['a', 'b'], applied);
  expect(choice.get()).toBe('a');
  choice.set('b');
  expect([choice.get(), stored.get('k'), applied.mock.calls]).toEqual(['b', 'b', [['b']]]);
  choice.set('a');
  expect([choice.get(), stored.size]).toEqual(['a', 0]);
  stored.set('k', 'something else');
  expect(choice.get()).toBe('a');
});

test('without storage it lasts as long as the page', () => {
  stubStorage(true);
  const choice = storedChoice('k', ['a', 'b']);
  expect(choice.get()).toBe('a');
  choice.set('b');
  expect(choice.get()).toBe('b');
});
