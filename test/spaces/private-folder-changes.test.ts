import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { call } from './asking.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
  await call(service, 'POST', '/spaces', { id: 'acme' });
});
afterAll(() => service.close());

const patch = (id: string, body: object, prefix = '') => call(service, 'PATCH', `${prefix}/spaces/${id}`, body);

async function listOf(id: string) {
  return ((await call(service, 'GET', `/spaces/${id}`)).data.space as { privateFolders: string[] }).privateFolders;
}

describe.each([
  ['the library', 'default', ''],
  ['a space', 'acme', ''],
  ['a space, from inside', 'acme', '/b/acme'],
])('changes of the private folders of %s', (_, id, prefix) => {
  beforeEach(() => patch(id, { privateFolders: ['drafts', 'Contracts'] }));

  test('add to the list and remove from it, and leave the others', async () => {
    const answer = await patch(id, { addPrivateFolders: ['new'], removePrivateFolders: ['drafts'] }, prefix);
    expect([answer.status, (answer.data.space as { privateFolders: string[] }).privateFolders]).toEqual([
      200,
      ['Contracts', 'new'],
    ]);
  });

  test('at the same moment all count', async () => {
    const names = ['a', 'b', 'c', 'd'];
    await Promise.all(names.map((name) => patch(id, { addPrivateFolders: [name] }, prefix)));
    expect((await listOf(id)).toSorted()).toEqual(['Contracts', 'a', 'b', 'c', 'd', 'drafts']);
  });

  test('find a folder in any case, and add none twice', async () => {
    await patch(id, { addPrivateFolders: ['CONTRACTS', 'new', 'New'], removePrivateFolders: ['Drafts'] }, prefix);
    expect(await listOf(id)).toEqual(['Contracts', 'new']);
    await patch(id, { removePrivateFolders: ['contracts', 'new', 'missing'] }, prefix);
    expect(await listOf(id)).toEqual([]);
  });

  test('are refused next to a whole list, for the root, and beyond 100', async () => {
    const wrong = [
      { privateFolders: ['x'], addPrivateFolders: ['y'] },
      { privateFolders: null, removePrivateFolders: ['y'] },
      { addPrivateFolders: ['/'] },
    ];
    for (const body of wrong) expect(await patch(id, body, prefix)).toMatchObject({ status: 400 });
    const many = Array.from({ length: 99 }, (__, n) => `folder-${n}`);
    expect(await patch(id, { addPrivateFolders: many }, prefix)).toMatchObject({
      status: 400,
      data: { code: 'validation_failed' },
    });
    expect(await listOf(id)).toEqual(['drafts', 'Contracts']);
  });
});
