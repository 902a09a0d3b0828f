import { expect, test } from 'vitest';
import { createPasswords, type Passwords, withPriority } from './passwords.ts';

/** Creates hashes that the test completes, in the order in which they began. */
function slowPasswords() {
  const begun: { what: string; end(): void }[] = [];
  const work = <T>(what: string, result: T): Promise<T> =>
    new Promise((resolve) => begun.push({ what, end: () => resolve(result) }));
  const plain: Passwords = {
    hash: (password) => work(`hash ${password}`, 'hashed'),
    verify: ({ password }) => work(`verify ${password}`, true),
  };
  return { begun, plain };
}

test('one hash is made at a time, whatever it is for; so many wait, and one more is 429', async () => {
  const { begun, plain } = slowPasswords();
  const passwords = createPasswords({ maxQueued: 2, plain });
  const results = [passwords.hash('a'), passwords.verify({ hash: '', password: 'b' }), passwords.hash('c')];
  const tooMany = { status: 429, headers: { 'Retry-After': '5' } };
  await expect(passwords.hash('d')).rejects.toMatchObject(tooMany);
  await expect(passwords.verify({ hash: '', password: 'e' })).rejects.toMatchObject(tooMany);
  for (const [n, result] of results.entries()) {
    expect(begun.map(({ what }) => what)).toEqual(['hash a', 'verify b', 'hash c'].slice(0, n + 1));
    begun[n]?.end();
    await result;
  }
  expect(await Promise.all(results)).toEqual(['hashed', true, 'hashed']);
  const next = passwords.hash('f');
  begun.at(-1)?.end();
  expect(await next).toBe('hashed');
});

test('a hash that fails gives its place to the next one', async () => {
  const failing = createPasswords({
    maxQueued: 1,
    plain: { hash: () => Promise.reject(new Error('no memory')), verify: () => Promise.resolve(true) },
  });
  const results = [failing.hash('a'), failing.verify({ hash: '', password: 'b' })];
  await expect(results[0]).rejects.toThrow('no memory');
  expect(await results[1]).toBe(true);
});

test('what it makes is what it knows again', async () => {
  const passwords = createPasswords({ maxQueued: 5 });
  const hash = await passwords.hash('correct horse');
  expect(await passwords.verify({ hash, password: 'correct horse' })).toBe(true);
  expect(await passwords.verify({ hash, password: 'correct house' })).toBe(false);
});

test('work with priority does not wait behind other work, and has as long a queue', async () => {
  const { begun, plain } = slowPasswords();
  const passwords = createPasswords({ maxQueued: 1, plain });
  const others = [passwords.hash('a'), passwords.hash('b')];
  await expect(passwords.hash('c')).rejects.toMatchObject({ status: 429 });
  const own = ['d', 'e'].map((password) => withPriority(() => passwords.verify({ hash: '', password })));
  await expect(withPriority(() => passwords.hash('f'))).rejects.toMatchObject({ status: 429 });
  expect(begun.map(({ what }) => what)).toEqual(['hash a', 'verify d']);
  begun[1]?.end();
  expect(await own[0]).toBe(true);
  expect(begun.map(({ what }) => what)).toEqual(['hash a', 'verify d', 'verify e']);
  for (const { end } of begun) end();
  expect([await own[1], await others[0]]).toEqual([true, 'hashed']);
  begun.at(-1)?.end();
  expect(await others[1]).toBe('hashed');
});
