import { beforeEach, describe, expect, test } from 'vitest';
import { codeOfStatus, HttpProblem, unauthorized } from '../errors.ts';
import { type KnownClients, SignInBackoff } from './sign-in-backoff.ts';

let now: number;
let backoff: SignInBackoff;
beforeEach(() => {
  now = 5;
  backoff = new SignInBackoff({ maxFailures: 3, known: createMemoryClients(), now: () => now });
});

function createMemoryClients(): KnownClients {
  const known = new Set<string>();
  const nameOf = (email: string, client: string) => `${email.toLowerCase()} ${client}`;
  return {
    has: async (email, client) => known.has(nameOf(email, client)),
    async add(email, client) {
      known.add(nameOf(email, client));
    },
  };
}

/** Tries to sign in. Returns the status, or the seconds to wait when the attempt was refused before its check. */
async function guess(email = 'ada@example.com', client = 'anywhere', status = 401): Promise<number | string> {
  try {
    await backoff.try(email, client, async () => {
      if (status !== 200)
        throw status === 401 ? unauthorized('Wrong.') : new HttpProblem(codeOfStatus(status), 'Other.');
    });
    return 200;
  } catch (error) {
    const { status, headers } = error as HttpProblem;
    const wait = headers['Retry-After'];
    return wait === undefined ? status : `${status}, wait ${wait}`;
  }
}

describe('after some failures in a row', () => {
  test('an account has to wait, each time twice as long, a minute at most', async () => {
    for (let n = 0; n < 3; n++) expect(await guess()).toBe(401);
    for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60, 60]) {
      expect(await guess()).toBe(`429, wait ${seconds}`);
      now += seconds * 1000 - 1;
      expect(await guess()).toBe('429, wait 1');
      now += 1;
      expect(await guess()).toBe(401);
    }
  });

  test('it does so from wherever it is tried, in whatever case, and whether or not it exists', async () => {
    for (let n = 0; n < 3; n++) expect(await guess('Nobody@Example.com', `from ${n}`)).toBe(401);
    expect(await guess('nobody@example.com', 'from elsewhere')).toBe('429, wait 1');
    expect(await guess('another@example.com', 'from 0')).toBe(401);
  });

  test('a wait does not grow by asking', async () => {
    for (let n = 0; n < 3; n++) await guess();
    for (let n = 0; n < 100; n++) expect(await guess()).toBe('429, wait 1');
  });
});

test('many tries at once are many tries', async () => {
  const ends = await Promise.all(Array.from({ length: 50 }, () => guess()));
  expect(ends.filter((end) => end === 401)).toHaveLength(3);
});

test('a success forgets the failures, and its client is held back no more: a stranger keeps nobody out', async () => {
  for (let n = 0; n < 2; n++) await guess();
  expect(await guess('ada@example.com', 'home', 200)).toBe(200);
  for (let n = 0; n < 3; n++) expect(await guess()).toBe(401);
  expect(await guess()).toBe('429, wait 1');
  expect(await guess('ada@example.com', 'home')).toBe(401);
  expect(await guess('ADA@example.com', 'home', 200)).toBe(200);
  expect(await guess('other@example.com', 'home')).toBe(401);
});

test('what says nothing of the password is no failure', async () => {
  for (let n = 0; n < 2; n++) expect(await guess()).toBe(401);
  for (let n = 0; n < 20; n++) expect(await guess('ada@example.com', 'anywhere', 503)).toBe(503);
  expect(await guess()).toBe(401);
  expect(await guess()).toBe('429, wait 1');
});

describe('a client that signed in before', () => {
  beforeEach(async () => {
    expect(await guess('ada@example.com', 'home', 200)).toBe(200);
  });

  test('has to wait for its own failures, and nobody else has', async () => {
    for (let n = 0; n < 3; n++) expect(await guess('ada@example.com', 'home')).toBe(401);
    expect(await guess('ada@example.com', 'home')).toBe('429, wait 1');
    for (let n = 0; n < 3; n++) expect(await guess()).toBe(401);
    expect(await guess()).toBe('429, wait 1');
  });

  test('does not wait for the failures of another one that did', async () => {
    expect(await guess('ada@example.com', 'work', 200)).toBe(200);
    for (let n = 0; n < 3; n++) await guess('ada@example.com', 'home');
    expect(await guess('ada@example.com', 'home')).toBe('429, wait 1');
    expect(await guess('ada@example.com', 'work', 200)).toBe(200);
  });

  test('gives nobody else new attempts when it signs in again', async () => {
    for (let n = 0; n < 3; n++) await guess();
    expect(await guess('ada@example.com', 'home', 200)).toBe(200);
    expect(await guess()).toBe('429, wait 1');
  });
});

test('a session has to wait for its own wrong passwords alone', async () => {
  const check = (session: string) =>
    backoff
      .tryInSession(session, () => Promise.reject(new HttpProblem('wrong_password', 'Wrong.')))
      .catch(({ status }: HttpProblem) => status);
  for (let n = 0; n < 4; n++) await guess();
  expect(await guess()).toBe('429, wait 1');
  expect([await check('one'), await check('one'), await check('one'), await check('one')]).toEqual([
    403, 403, 403, 429,
  ]);
  expect(await check('two')).toBe(403);
});
