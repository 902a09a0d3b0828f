import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ask } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { call as request, upload } from './asking.ts';

let service: TestService;
/** A key that may move files, and change no rules. */
let editor: Record<string, string>;
beforeAll(async () => {
  service = await startService();
  await call('POST', '/spaces', { id: 'acme' });
  await call('POST', '/spaces', { id: 'globex' });
  const { data } = await call('POST', '/api-keys/create', { permissions: ['read', 'upload', 'manage'] });
  editor = { 'x-api-key': (data.apiKey as { key: string }).key };
});
afterAll(() => service.close());

const call = (method: string, path: string, body?: object, headers?: Record<string, string>) =>
  request(service, method, path, body, headers);

async function rulesOf(space: string): Promise<string[]> {
  return ((await call('GET', `/spaces/${space}`)).data.space as { privateFolders: string[] }).privateFolders;
}

const setRules = (space: string, privateFolders: string[]) => call('PATCH', `/spaces/${space}`, { privateFolders });

/** Status of a file for everyone, at each URL that leads to it. */
async function statusOf(outer: string): Promise<number[]> {
  const [space = '', ...inner] = outer.split('/');
  const isInSpace = ['acme', 'globex'].includes(space);
  const urls = [
    `/t/w_20/${outer}`,
    `/download/${outer}`,
    ...(isInSpace ? [`/b/${space}/t/w_20/${inner.join('/')}`] : []),
  ];
  const answers = await Promise.all(urls.map((url) => ask(service.url, encodeURI(url))));
  return [...new Set(answers.map(({ status }) => status))];
}

const CLOSED = [401];
const OPEN = [200];
const MISSING = [404];

async function put(prefix: string, folder: string, name = 'plan.png') {
  expect((await upload(service, prefix, name, { fields: { folder } })).status).toBe(200);
}

/** Makes a change as an editor. */
async function edit(method: string, path: string, body?: object) {
  const answer = await call(method, path, body, editor);
  expect([answer.status, answer.body.toString()]).toEqual([200, expect.anything()]);
  return answer.data;
}

const rename = (path: string, name: string, prefix = '') => edit('PATCH', `${prefix}/storage/${path}`, { name });
const move = (path: string, destination: string, prefix = '') =>
  edit('POST', `${prefix}/storage/${path}/move`, { destination });

describe.each([
  { place: 'the library', id: 'default', prefix: '', outer: '' },
  { place: 'a space', id: 'acme', prefix: '/b/acme', outer: 'acme/' },
])('a private folder in $place', ({ id, prefix, outer }) => {
  let n = 0;
  /** The folder in which each test works. */
  let top: string;
  beforeEach(async () => {
    top = `top-${++n}`;
    await put(prefix, `${top}/secret`);
    await put(prefix, `${top}/secret/deep`);
    await put(prefix, `${top}/public`);
    expect((await setRules(id, [`${top}/secret`])).status).toBe(200);
    expect(await statusOf(`${outer}${top}/secret/plan.png`)).toEqual(CLOSED);
  });

  test('stays private when it is renamed, and its old path is free again', async () => {
    await rename(`${top}/secret`, 'hidden', prefix);
    expect(await statusOf(`${outer}${top}/hidden/plan.png`)).toEqual(CLOSED);
    expect(await statusOf(`${outer}${top}/hidden/deep/plan.png`)).toEqual(CLOSED);
    expect(await rulesOf(id)).toEqual([`${top}/hidden`]);
    await put(prefix, `${top}/secret`);
    expect(await statusOf(`${outer}${top}/secret/plan.png`)).toEqual(OPEN);
  });

  test('stays private when it is moved, also under another name', async () => {
    await put(prefix, `${top}/other/secret`);
    await move(`${top}/secret`, `${top}/other`, prefix);
    expect(await rulesOf(id)).toEqual([`${top}/other/secret (1)`]);
    expect(await statusOf(`${outer}${top}/other/secret (1)/plan.png`)).toEqual(CLOSED);
    expect(await statusOf(`${outer}${top}/other/secret/plan.png`)).toEqual(OPEN);
  });

  test('stays private when a folder above it is renamed or moved', async () => {
    await rename(top, `${top}-renamed`, prefix);
    expect(await statusOf(`${outer}${top}-renamed/secret/plan.png`)).toEqual(CLOSED);
    expect(await statusOf(`${outer}${top}-renamed/public/plan.png`)).toEqual(OPEN);
    await move(`${top}-renamed`, `archive-${top}`, prefix);
    expect(await statusOf(`${outer}archive-${top}/${top}-renamed/secret/plan.png`)).toEqual(CLOSED);
    expect(await rulesOf(id)).toEqual([`archive-${top}/${top}-renamed/secret`]);
  });

  test('stays private when it is moved in a batch', async () => {
    const items = [{ path: `${top}/secret`, kind: 'folder' }];
    await edit('POST', `${prefix}/storage/batch`, { action: 'move', items, destination: 'away' });
    expect(await statusOf(`${outer}away/secret/plan.png`)).toEqual(CLOSED);
    await edit('DELETE', `${prefix}/storage/away?recursive=true`);
  });

  test('gives a folder that leaves it a rule of its own', async () => {
    await move(`${top}/secret/deep`, `${top}/public`, prefix);
    expect(await statusOf(`${outer}${top}/public/deep/plan.png`)).toEqual(CLOSED);
    expect(await statusOf(`${outer}${top}/public/plan.png`)).toEqual(OPEN);
    expect(await rulesOf(id)).toEqual([`${top}/secret`, `${top}/public/deep`]);
  });

  test('needs no further rule for a folder that is renamed in it', async () => {
    await rename(`${top}/secret/deep`, 'deeper', prefix);
    expect(await statusOf(`${outer}${top}/secret/deeper/plan.png`)).toEqual(CLOSED);
    expect(await rulesOf(id)).toEqual([`${top}/secret`]);
  });

  test('lets go of a single file that is moved out of it', async () => {
    await move(`${top}/secret/plan.png`, `${top}/taken`, prefix);
    expect(await statusOf(`${outer}${top}/taken/plan.png`)).toEqual(OPEN);
    expect(await rulesOf(id)).toEqual([`${top}/secret`]);
  });

  test('stays private when it comes back from the trash under another name', async () => {
    await edit('DELETE', `${prefix}/storage/${top}/secret?recursive=true&trash=true`);
    await put(prefix, `${top}/secret`, 'new.png');
    const items = (await edit('GET', `${prefix}/trash`)).items as { id: string; path: string }[];
    const item = items.find(({ path }) => path === `${top}/secret`);
    const restored = await edit('POST', `${prefix}/trash/${item?.id}/restore`);
    expect(restored.path).toBe(`${top}/secret (1)`);
    expect(await statusOf(`${outer}${top}/secret (1)/plan.png`)).toEqual(CLOSED);
    expect(await statusOf(`${outer}${top}/secret/new.png`)).toEqual(CLOSED);
  });

  test('stays private in the trash, also when the folder that it was in is renamed', async () => {
    await edit('DELETE', `${prefix}/storage/${top}/secret?recursive=true&trash=true`);
    await rename(top, `${top}-renamed`, prefix);
    await edit('POST', `${prefix}/storage/batch`, { action: 'restore', items: [{ path: `${top}/secret` }] });
    expect(await statusOf(`${outer}${top}/secret/plan.png`)).toEqual(CLOSED);
  });

  test('stays private when the folder that it is in comes back from the trash under another name', async () => {
    await edit('DELETE', `${prefix}/storage/${top}?recursive=true&trash=true`);
    await put(prefix, `${top}/secret`);
    await rename(`${top}/secret`, 'hidden', prefix);
    await edit('POST', `${prefix}/storage/batch`, { action: 'restore', items: [{ path: top }] });
    expect(await statusOf(`${outer}${top} (1)/secret/plan.png`)).toEqual(CLOSED);
    expect(await statusOf(`${outer}${top}/hidden/plan.png`)).toEqual(CLOSED);
  });

  test('closes nothing that is there already, when a move is refused', async () => {
    const refused = await call('PATCH', `${prefix}/storage/${top}/secret`, { name: 'public' }, editor);
    expect(refused.status).toBe(409);
    expect(await statusOf(`${outer}${top}/public/plan.png`)).toEqual(OPEN);
    expect(await rulesOf(id)).toEqual([`${top}/secret`]);
  });

  test('counts one rule more at most, and a move that needs more than 100 is refused', async () => {
    const others = Array.from({ length: 99 }, (_, number) => `${top}/empty/${number}`);
    await put(prefix, `${top}/empty`);
    await setRules(id, [`${top}/secret`, ...others]);
    await rename(`${top}/empty`, 'void', prefix);
    expect(await rulesOf(id)).toEqual([`${top}/secret`, ...others.map((path) => path.replace('empty', 'void'))]);
    const refused = await call('POST', `${prefix}/storage/${top}/secret/deep/move`, { destination: top }, editor);
    expect([refused.status, refused.data.code]).toEqual([409, 'space_conflict']);
    expect(refused.body.toString()).not.toContain('acme');
    expect(await statusOf(`${outer}${top}/secret/deep/plan.png`)).toEqual(CLOSED);
    expect(await statusOf(`${outer}${top}/deep/plan.png`)).toEqual(MISSING);
  });

  test('keeps the rule of a single file that a rule names, and of its copy', async () => {
    await setRules(id, [`${top}/public/plan.png`]);
    await rename(`${top}/public/plan.png`, 'sketch.png', prefix);
    expect(await statusOf(`${outer}${top}/public/sketch.png`)).toEqual(CLOSED);
    await edit('POST', `${prefix}/storage/${top}/public/sketch.png/copy`, {});
    expect(await statusOf(`${outer}${top}/public/sketch copy.png`)).toEqual(CLOSED);
  });
});

describe('a private folder that crosses the border of a space', () => {
  beforeEach(async () => {
    for (const id of ['default', 'acme', 'globex']) await setRules(id, []);
  });

  test('of the space has a rule of the library then, and of the next space', async () => {
    await put('/b/acme', 'leaving');
    await setRules('acme', ['leaving']);
    await move('acme/leaving', 'arrived');
    expect(await statusOf('arrived/leaving/plan.png')).toEqual(CLOSED);
    expect([await rulesOf('acme'), await rulesOf('default')]).toEqual([[], ['arrived/leaving']]);
    await setRules('default', []);
    await setRules('acme', ['onward']);
    await put('/b/acme', 'onward');
    await move('acme/onward', 'globex');
    expect(await statusOf('globex/onward/plan.png')).toEqual(CLOSED);
    expect([await rulesOf('acme'), await rulesOf('globex')]).toEqual([[], ['onward']]);
  });

  test('of the library keeps the rule of the library in the space', async () => {
    await put('', 'own');
    await setRules('default', ['own']);
    await move('own', 'acme');
    expect(await statusOf('acme/own/plan.png')).toEqual(CLOSED);
    expect([await rulesOf('default'), await rulesOf('acme')]).toEqual([['acme/own'], []]);
    // The space cannot open it.
    await rename('own', 'renamed', '/b/acme');
    expect(await statusOf('acme/renamed/plan.png')).toEqual(CLOSED);
    expect(await rulesOf('default')).toEqual(['acme/renamed']);
  });
});

describe('the limit of 100 private folders', () => {
  const numbered = (count: number, prefix: string) => Array.from({ length: count }, (_, n) => `${prefix}/${n}`);
  /** A hundred rules of the library inside the folder of one space. */
  const full = [...numbered(99, 'acme/full'), 'acme/kept'];
  beforeEach(async () => {
    for (const id of ['default', 'acme', 'globex']) await setRules(id, []);
  });

  test('of the library is one of each space: what one has used takes nothing from the others', async () => {
    for (const prefix of ['/b/acme', '/b/globex', '']) await put(prefix, 'kept/deep');
    expect((await setRules('default', [...full, 'globex/kept', 'kept'])).status).toBe(200);
    const refused = await call('POST', '/b/acme/storage/kept/deep/move', { destination: 'open' }, editor);
    expect([refused.status, refused.data.code]).toEqual([409, 'space_conflict']);
    expect(refused.data.message).toMatch(/^Expected at most 100 folders in a space that the library keeps private/);
    expect(await statusOf('acme/kept/deep/plan.png')).toEqual(CLOSED);
    await move('kept/deep', 'open', '/b/globex');
    await move('kept/deep', 'open');
    expect(await statusOf('globex/open/deep/plan.png')).toEqual(CLOSED);
    expect(await statusOf('open/deep/plan.png')).toEqual(CLOSED);
    expect(await rulesOf('default')).toEqual([...full, 'globex/kept', 'kept', 'globex/open/deep', 'open/deep']);
  });

  test('of the library is one of each space for its admin too', async () => {
    const all = [...full, ...numbered(100, 'globex/full'), ...numbered(100, 'full')];
    expect((await setRules('default', all)).status).toBe(200);
    const excesses = [
      ['acme/more', 'at most 100 folders in the space "acme", received 101.'],
      ['GLOBEX/more', 'at most 100 folders in the space "globex", received 101.'],
      ['more', 'at most 100 folders outside of all spaces, received 101.'],
    ];
    for (const [path = '', message] of excesses) {
      const refused = await setRules('default', [...all, path]);
      expect([refused.status, refused.data.code]).toEqual([400, 'validation_failed']);
      expect(refused.data.message).toBe(`In "privateFolders": expected ${message}`);
    }
    expect(await rulesOf('default')).toEqual(all);
  });

  test('of a space is that of its own list', async () => {
    expect((await setRules('acme', numbered(100, 'full'))).status).toBe(200);
    const refused = await call('PATCH', '/b/acme/spaces/acme', { privateFolders: numbered(101, 'full') });
    expect([refused.status, refused.data.code]).toEqual([400, 'validation_failed']);
    expect(refused.data.message).toBe('In "privateFolders": expected at most 100 folders, received 101.');
  });
});

test('the files of a space that is deleted are closed until they are in the trash', async () => {
  await call('POST', '/spaces', { id: 'ending', privateFolders: ['secret'] });
  await put('/b/ending', 'secret');
  await setRules('default', []);
  const { spaces, trash } = service.services;
  const steps: unknown[] = [];
  const stop = spaces.onChange(() => {
    const { isEnabled, rules } = spaces.find('ending') ?? {};
    steps.push(rules ? { isEnabled, privateFolders: rules.privateFolders } : 'deleted');
  });
  const putFolder = trash.put.bind(trash);
  const putting = vi.spyOn(trash, 'put').mockImplementation(async (...options) => {
    const cleanup = await putFolder(...options);
    steps.push('in the trash');
    return cleanup;
  });
  expect((await call('DELETE', '/spaces/ending?files=trash')).status).toBe(200);
  stop();
  putting.mockRestore();
  expect(steps).toEqual([{ isEnabled: false, privateFolders: ['secret'] }, 'in the trash', 'deleted']);
  expect(await statusOf('ending/secret/plan.png')).toEqual(MISSING);
});

test('without a rule, a move leaves the rules as they are', async () => {
  const { db } = service.services.database;
  for (const id of ['default', 'acme']) await setRules(id, []);
  const rows = () => db.selectFrom('space').select(['id', 'rules', 'secret']).execute();
  const before = await rows();
  await put('', 'plain');
  await rename('plain', 'plainer');
  expect(await rows()).toEqual(before);
  expect(await statusOf('plainer/plan.png')).toEqual(OPEN);
});
