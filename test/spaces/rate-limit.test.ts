import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { addPerson, PASSWORD } from '../people.ts';
import { startService, type TestService } from '../service.ts';
import { call, upload } from './asking.ts';

const HOST = 'media.acme.test';

let service: TestService;
beforeAll(async () => {
  service = await startService({ PUBLIC_RATE_LIMIT_MAX: '1000' });
  for (const id of ['acme', 'globex']) {
    await call(service, 'POST', '/spaces', { id, hosts: id === 'acme' ? [HOST] : [] });
    await upload(service, `/b/${id}`, 'a.png');
  }
  await upload(service, '', 'a.png');
});
afterAll(() => service.close());

const PATHS = { library: '/t/w_20/a.png', acme: '/b/acme/t/w_20/a.png', globex: '/b/globex/t/w_20/a.png' };

/** The limits of a client in the library and in both spaces, on the normal path and on the fast one. */
async function limitsOf(headers: Record<string, string>) {
  const limits: Record<string, number> = {};
  for (const [place, path] of Object.entries(PATHS)) {
    const answers = [];
    for (let round = 0; round < 3; round++) answers.push(await ask(service.url, path, { headers }));
    const found = new Set(answers.map((answer) => Number(answer.headers['x-ratelimit-limit'])));
    expect([place, found.size]).toEqual([place, 1]);
    limits[place] = [...found][0] ?? 0;
  }
  return limits;
}

const [SMALL, LARGE] = [1000, 100_000];

test('anonymous clients have the small limit everywhere', async () => {
  expect(await limitsOf({})).toEqual({ library: SMALL, acme: SMALL, globex: SMALL });
});

test('a person with a role in the installation has the large one everywhere', async () => {
  const { cookie } = await addPerson(service, { role: 'viewer' });
  expect(await limitsOf({ cookie })).toEqual({ library: LARGE, acme: LARGE, globex: LARGE });
});

test('a person with a role in a space has it there alone, from the moment of the role on', async () => {
  const { cookie, userId } = await addPerson(service, { role: 'owner', space: 'acme' });
  expect(await limitsOf({ cookie })).toEqual({ library: SMALL, acme: LARGE, globex: SMALL });
  const { db } = service.services.database;
  const role = {
    userId,
    space: 'globex',
    role: 'viewer',
    source: 'given',
    createdAt: new Date().toISOString(),
  } as const;
  await db.insertInto('member').values(role).execute();
  await service.services.changes.access();
  expect(await limitsOf({ cookie })).toEqual({ library: SMALL, acme: LARGE, globex: LARGE });
});

test('a session that began at the host of a space has it there alone', async () => {
  const { email } = await addPerson(service, { role: 'viewer' });
  const body = { email, password: PASSWORD };
  const signIn = await call(service, 'POST', '/api/auth/sign-in/email', body, { host: HOST });
  const cookie = String(signIn.headers['set-cookie']?.[0]?.split(';')[0]);
  expect(await limitsOf({ cookie })).toEqual({ library: SMALL, acme: LARGE, globex: SMALL });
});
