import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { cacheTagsOf } from '../../src/delivery/cache-tags.ts';
import { signDeliveryUrl } from '../../src/delivery/signed-url.ts';
import { parsePath } from '../../src/path.ts';
import { type Asking, ask } from '../http.ts';
import { isoTime, type LibraryService, picture, problem, startLibrary } from '../library.ts';

let service: LibraryService;

beforeAll(async () => {
  service = await startLibrary({
    CDN_TAGS: 'true',
    PUBLIC_RATE_LIMIT_MAX: '0',
    ORIGINAL_CHECK_INTERVAL_MS: '60000',
    OUTGOING_PRIVATE_NETWORKS: '127.0.0.0/8',
  });
});
afterAll(() => service.close());
beforeEach(async () => {
  await service.clear();
  await service.services.trash.empty();
  for (const { from } of await redirects()) await remove(from);
});

const encode = (path: string) => path.split('/').map(encodeURIComponent).join('/');
const create = (from: string, to: string) => service.call('POST', '/redirects', { from, to });
const remove = (from: string) => service.call('DELETE', `/redirects?from=${encodeURIComponent(from)}`);
async function redirects() {
  const { redirects } = (await service.call('GET', '/redirects?limit=1000')).json();
  return redirects as { from: string; to: string }[];
}
const shown = async () => (await redirects()).map(({ from, to }) => [from, to]);
const get = (path: string, asking: Asking = {}) => ask(service.url, path, asking);
const rename = (path: string, name: string, redirect = true) =>
  service.call('PATCH', `/storage/${encode(path)}`, { name, redirect });
const move = (path: string, destination: string, redirect = true) =>
  service.call('POST', `/storage/${encode(path)}/move`, { destination, redirect });
/** The marker of the file that a URL delivers; its status otherwise. */
async function markAt(path: string) {
  const { status, body } = await get(`/t/${encode(path)}`);
  return status === 200 ? body.toString('latin1').slice(picture().length) : status;
}

test('a target that has left and come back is not answered from memory', async () => {
  await service.store('f/a.png');
  await rename('f', 'g');
  const url = '/t/w_4,f_png/f/a.png';
  const link = async () => {
    const { status, headers } = await get(url);
    return status === 200 ? headers.link : status;
  };
  for (let n = 0; n < 3; n++) expect(await link()).toBe('</t/w_4,f_png/g/a.png>; rel="canonical"');
  await service.call('DELETE', '/storage/g/a.png?trash=true');
  await rename('g', 'h', false);
  expect(await link()).toBe(404);
  const { items } = (await service.call('GET', '/trash')).json() as { items: { id: string }[] };
  expect((await service.call('POST', `/trash/${items[0]?.id}/restore`)).json().path).toBe('g/a.png');
  // Its variant is in the cache again.
  expect((await get('/t/w_4,f_png/g/a.png')).status).toBe(200);
  expect(await shown()).toEqual([['f', 'h']]);
  expect(await link()).toBe(404);
});

test('a path below two redirected folders follows the nearer one, whatever leaves the other', async () => {
  await service.store('f/g/b.png');
  await rename('f', 'h');
  await service.store('f/g/b.png');
  await rename('f/g', 'near');
  expect(await markAt('f/g/b.png')).toBe('f/g/b.png');
  const near = async () => (await get('/t/f/g/b.png')).headers.link;
  expect(await near()).toBe('</t/f/near/b.png>; rel="canonical"');
  await move('h/g/b.png', '');
  expect(await near()).toBe('</t/f/near/b.png>; rel="canonical"');
  expect(await shown()).toEqual([
    ['f', 'h'],
    ['f/g', 'f/near'],
    ['h/g/b.png', 'b.png'],
  ]);
});

describe('a refused move with a redirect leaves the redirects as they were', () => {
  test('also next to a redirect of the folder around it', async () => {
    await service.store('f/a.png', 'x.png');
    await rename('f', 'h');
    await create('h/b.png', 'x.png');
    await remove('f/b.png');
    await service.store('h/b.png');
    const before = await shown();
    expect(before).toEqual([
      ['f', 'h'],
      ['h/b.png', 'x.png'],
    ]);
    expect((await rename('h/b.png', 'a.png')).status).toBe(409);
    expect(await shown()).toEqual(before);
  });

  test('also one whose target is in the trash, which it follows when it comes back under another name', async () => {
    await service.store('t.png', 'taken.png');
    await create('old.png', 't.png');
    await service.call('DELETE', '/storage/t.png?trash=true');
    await service.store('old.png', 't.png');
    expect((await rename('old.png', 'taken.png')).status).toBe(409);
    const { items } = (await service.call('GET', '/trash')).json() as { items: { id: string }[] };
    expect((await service.call('POST', `/trash/${items[0]?.id}/restore`)).json().path).toBe('t (1).png');
    expect(await shown()).toEqual([['old.png', 't (1).png']]);
  });
});

describe('POST /redirects', () => {
  test('lets the previous URL of a file deliver it, with its canonical URL', async () => {
    await service.store('new.png');
    await service.expectAnswer('POST', '/redirects', { from: 'old.png', to: 'new.png' }, 201, {
      redirect: { from: 'old.png', to: 'new.png', isFolder: false, createdAt: isoTime },
    });
    const { status, headers, body } = await get('/t/old.png');
    expect([status, headers.link, body.equals(picture('new.png'))]).toEqual([
      200,
      '</t/new.png>; rel="canonical"',
      true,
    ]);
    const variant = await get('/t/w_10,f_png/old.png');
    expect([variant.status, variant.headers.link]).toEqual([200, '</t/w_10,f_png/new.png>; rel="canonical"']);
    const own = await get('/t/w_10,f_png/new.png');
    expect([own.status, own.headers.link, own.headers.etag]).toEqual([200, undefined, variant.headers.etag]);
    expect(own.headers['x-cache']).toBe('hit');
    expect((await get('/t/new.png')).headers.link).toBeUndefined();
  });

  test('covers everything below a folder, and downloads of it', async () => {
    await service.store('b/c/x.png');
    expect((await create('a', 'b')).json()).toMatchObject({ redirect: { from: 'a', to: 'b', isFolder: true } });
    expect(await redirects()).toMatchObject([{ from: 'a', to: 'b', isFolder: true }]);
    expect(await markAt('a/c/x.png')).toBe('b/c/x.png');
    expect(await markAt('a/c/y.png')).toBe(404);
    expect(await markAt('aa/c/x.png')).toBe(404);
    const file = await get('/download/a/c/x.png');
    expect([file.status, file.headers.link]).toEqual([200, '</download/b/c/x.png>; rel="canonical"']);
    for (const folder of ['a', 'a/c']) expect((await get(`/download-folder/${folder}`)).status).toBe(200);
    expect((await get('/download-folder/a/c')).headers.link).toBe('</download-folder/b/c>; rel="canonical"');
    expect((await get('/download-folder/z')).status).toBe(404);
  });

  test('is a redirect to the end of one that exists, and one that exists follows', async () => {
    await service.store('end.png');
    await create('b.png', 'end.png');
    expect((await create('a.png', 'b.png')).json()).toMatchObject({ redirect: { from: 'a.png', to: 'end.png' } });
    expect(await shown()).toEqual([
      ['a.png', 'end.png'],
      ['b.png', 'end.png'],
    ]);
  });

  test('replaces the redirect of its path', async () => {
    await service.store('one.png', 'two.png');
    await create('a.png', 'one.png');
    await get('/t/w_10,f_png/a.png');
    expect((await create('a.png', 'two.png')).status).toBe(201);
    expect(await shown()).toEqual([['a.png', 'two.png']]);
    expect(await markAt('a.png')).toBe('two.png');
  });

  test.each([
    ['itself', 'a', 'a'],
    ['something below it', 'a', 'a/b'],
  ])('refuses a loop: from a path to %s', async (_what, from, to) => {
    await service.store('a/b/x.png');
    await service.expectAnswer('POST', '/redirects', { from, to }, 409, problem('Conflict', 'redirect_loop'));
  });

  test('refuses a loop through another redirect', async () => {
    await service.store('b.png');
    await create('a.png', 'b.png');
    await service.call('DELETE', '/storage/b.png?trash=true');
    await service.expectAnswer(
      'POST',
      '/redirects',
      { from: 'b.png', to: 'a.png' },
      409,
      problem('Conflict', 'redirect_loop'),
    );
  });

  test.each<[what: string, body: object, status: number, code: string]>([
    ['without a target', { from: 'a.png', to: 'missing.png' }, 404, 'not_found'],
    ['of a path that has a file', { from: 'there.png', to: 'other.png' }, 409, 'name_taken'],
    ['to a file of another kind', { from: 'a.mp4', to: 'other.png' }, 400, 'validation_failed'],
    ['of the root', { from: '/', to: 'other.png' }, 400, 'missing_input'],
    ['to the root', { from: 'a', to: '/' }, 400, 'missing_input'],
    ['without a path', { to: 'other.png' }, 400, 'validation_failed'],
    ['of a path that cannot exist', { from: '../a.png', to: 'other.png' }, 400, 'invalid_path'],
    ['with another field', { from: 'a.png', to: 'other.png', permanent: true }, 400, 'validation_failed'],
  ])('refuses a redirect %s', async (_what, body, status, code) => {
    await service.store('there.png', 'other.png');
    const answer = await service.call('POST', '/redirects', body);
    expect([answer.status, answer.json().code]).toEqual([status, code]);
    expect(await redirects()).toEqual([]);
  });
});

describe('GET and DELETE /redirects', () => {
  test('list redirects in pages by their previous path', async () => {
    await service.store('x.png');
    for (const name of ['c', 'a', 'b']) await create(`${name}.png`, 'x.png');
    const page = async (query: string) => (await service.call('GET', `/redirects?${query}`)).json();
    const first = await page('limit=2');
    expect(first.redirects).toEqual(
      ['a', 'b'].map((name) => ({
        from: `${name}.png`,
        to: 'x.png',
        isFolder: false,
        createdAt: isoTime,
        isOverruled: false,
      })),
    );
    const second = await page(`limit=2&cursor=${first.nextCursor}`);
    expect(second).toEqual({ redirects: [expect.objectContaining({ from: 'c.png' })], nextCursor: null });
    expect((await service.call('GET', '/redirects?cursor=wrong')).json()).toMatchObject({ code: 'invalid_cursor' });
  });

  test('say which are not in use because a file has their path, until it has left', async () => {
    await service.store('logo-new.png');
    await create('logo.png', 'logo-new.png');
    await create('sub/logo.png', 'logo-new.png');
    const overruled = async () =>
      ((await service.call('GET', '/redirects')).json().redirects as { from: string; isOverruled: boolean }[])
        .filter(({ isOverruled }) => isOverruled)
        .map(({ from }) => from);
    expect(await overruled()).toEqual([]);
    await service.store('logo.png');
    expect([await overruled(), await markAt('logo.png')]).toEqual([['logo.png'], 'logo.png']);
    await service.call('DELETE', '/storage/logo.png?trash=true');
    expect([await overruled(), await markAt('logo.png')]).toEqual([[], 'logo-new.png']);
  });

  test('list those of some paths, and those that lead to a file', async () => {
    await service.store('x/a.png', 'x/b.png');
    for (const name of ['1', '2']) await create(`${name}.png`, 'x/a.png');
    await create('3.png', 'x/b.png');
    await create('old', 'x');
    const listed = async (query: string) =>
      ((await service.call('GET', `/redirects?${query}`)).json().redirects as { from: string }[]).map(
        ({ from }) => from,
      );
    expect(await listed('from=1.png&from=3.png&from=4.png')).toEqual(['1.png', '3.png']);
    expect(await listed('from=3.png')).toEqual(['3.png']);
    expect(await listed('to=x/a.png')).toEqual(['1.png', '2.png', 'old']);
    expect(await listed('to=/')).toEqual([]);
    expect((await service.call('GET', '/redirects?to=../x')).json()).toMatchObject({ code: 'invalid_path' });
  });

  test('end a redirect, for hits from memory too', async () => {
    await service.store('new.png');
    await create('old.png', 'new.png');
    for (let n = 0; n < 3; n++) expect((await get('/t/w_10,f_png/old.png')).status).toBe(200);
    await service.expectAnswer('DELETE', '/redirects?from=old.png', undefined, 200, { success: true });
    expect((await get('/t/w_10,f_png/old.png')).status).toBe(404);
    await service.expectAnswer(
      'DELETE',
      '/redirects?from=old.png',
      undefined,
      404,
      problem('Redirect not found', 'redirect_not_found'),
    );
  });
});

describe('a delivery by a previous path', () => {
  test('is made where a 404 was remembered', async () => {
    await service.store('new.png');
    for (let n = 0; n < 3; n++) expect((await get('/t/w_10,f_png/old.png')).status).toBe(404);
    await create('old.png', 'new.png');
    expect((await get('/t/w_10,f_png/old.png')).status).toBe(200);
  });

  test('ends when a file takes the name, also for hits from memory, and goes on when it has left', async () => {
    await service.store('new.png');
    await create('old.png', 'new.png');
    for (let n = 0; n < 3; n++) expect((await get('/t/w_10,f_png/old.png')).headers.link).toBeDefined();
    await service.store('old.png');
    expect(await markAt('old.png')).toBe('old.png');
    expect((await get('/t/w_10,f_png/old.png')).headers.link).toBeUndefined();
    await service.call('DELETE', '/storage/old.png');
    expect(await markAt('old.png')).toBe('new.png');
  });

  test('has the ETag, the tags and the caching of the file, and follows its changes', async () => {
    await service.store('new.png');
    await create('old/x.png', 'new.png');
    const before = await get('/t/w_10,f_png/old/x.png');
    for (let n = 0; n < 3; n++) {
      const { headers } = await get('/t/w_10,f_png/old/x.png');
      const tags = String(headers['surrogate-key']).split(' ');
      for (const path of ['new.png', 'old/x.png'])
        expect(tags).toEqual(expect.arrayContaining(cacheTagsOf(parsePath(path))));
      expect(headers['cache-control']).toBe((await get('/t/w_10,f_png/new.png')).headers['cache-control']);
    }
    const { etag } = before.headers;
    const unchanged = await get('/t/w_10,f_png/old/x.png', { headers: { 'if-none-match': etag } });
    expect([unchanged.status, unchanged.headers.link]).toEqual([304, '</t/w_10,f_png/new.png>; rel="canonical"']);
    await service.call('PUT', '/storage/new.png', picture('changed'));
    const changed = await get('/t/w_10,f_png/old/x.png', { headers: { 'if-none-match': etag } });
    expect([changed.status, changed.headers.etag === etag]).toEqual([200, false]);
  });

  test('is possible for layers, which follow too', async () => {
    await service.store('photo.png', 'badge.png');
    await create('old.png', 'badge.png');
    const url = (layer: string) => `/t/w_20,f_png~l_${layer},w_5/photo.png`;
    const own = await get(url('badge.png'));
    for (let n = 0; n < 3; n++) {
      const answer = await get(url('old.png'));
      expect([answer.status, answer.body.equals(own.body)]).toEqual([200, true]);
    }
    await remove('old.png');
    expect((await get(url('old.png'))).status).toBe(404);
    expect((await get(url('missing.png'))).status).toBe(404);
  });

  test('is possible for the status of a variant', async () => {
    await service.store('new.png');
    await create('old.png', 'new.png');
    await get('/t/w_10,f_png/new.png');
    expect((await get('/video-status/w_10,f_png/old.png')).json()).toMatchObject({ status: 'completed' });
    expect((await get('/video-status/w_10,f_png/missing.png')).status).toBe(404);
  });

  test('is never made by a change', async () => {
    await service.store('new.png');
    await create('old.png', 'new.png');
    for (const [method, path, body] of [
      ['PUT', '/storage/old.png', picture('x')],
      ['PATCH', '/storage/old.png', { name: 'z.png' }],
      ['DELETE', '/storage/old.png', undefined],
      ['PATCH', '/assets/old.png', { title: 'x' }],
      ['GET', '/assets/old.png', undefined],
    ] as const)
      expect([method, path, (await service.call(method, path, body)).status]).toEqual([method, path, 404]);
    expect(await service.files()).toEqual(['new.png']);
  });
});

describe('a move with "redirect": true', () => {
  test('keeps the previous URL of a renamed file, and of a moved one', async () => {
    await service.store('a.png');
    expect((await rename('a.png', 'b.png')).json()).toEqual({ success: true, path: 'b.png' });
    expect((await move('b.png', 'f')).json()).toEqual({ success: true, path: 'f/b.png' });
    expect(await shown()).toEqual([
      ['a.png', 'f/b.png'],
      ['b.png', 'f/b.png'],
    ]);
    for (const path of ['a.png', 'b.png', 'f/b.png']) expect(await markAt(path)).toBe('a.png');
  });

  test('keeps those of a folder, and of a file that has left it by then', async () => {
    await service.store('a/x.png', 'a/y.png');
    await rename('a', 'b');
    await rename('b/x.png', 'z.png');
    await rename('b', 'c');
    for (const path of ['a/x.png', 'b/x.png', 'b/z.png', 'c/z.png']) expect(await markAt(path)).toBe('a/x.png');
    for (const path of ['a/y.png', 'b/y.png', 'c/y.png']) expect(await markAt(path)).toBe('a/y.png');
  });

  test('makes no loop when the file is renamed back', async () => {
    await service.store('a.png');
    await rename('a.png', 'b.png');
    await rename('b.png', 'a.png');
    expect(await shown()).toEqual([['b.png', 'a.png']]);
    for (const path of ['a.png', 'b.png']) expect(await markAt(path)).toBe('a.png');
  });

  test('leaves no redirect when it is refused', async () => {
    await service.store('a.png', 'b.png', 'old.png');
    await create('x.png', 'b.png');
    expect((await rename('a.png', 'b.png')).status).toBe(409);
    expect(await shown()).toEqual([['x.png', 'b.png']]);
  });

  test('is one for each item of a batch', async () => {
    await service.store('a.png', 'f/b.png');
    const items = [{ path: 'a.png' }, { path: 'f/b.png' }];
    const batch = { action: 'move', destination: 'g', items, redirect: true };
    expect((await service.call('POST', '/storage/batch', batch)).status).toBe(200);
    expect(await shown()).toEqual([
      ['a.png', 'g/a.png'],
      ['f/b.png', 'g/b.png'],
    ]);
    const copy = { ...batch, action: 'copy' };
    expect((await service.call('POST', '/storage/batch', copy)).json().code).toBe('validation_failed');
  });
});

describe('the trash', () => {
  test('keeps the redirects of what it has: nothing is delivered, and restored it works again, under any name', async () => {
    await service.store('a.png');
    await rename('a.png', 'b.png');
    await service.call('DELETE', '/storage/b.png?trash=true');
    expect(await markAt('a.png')).toBe(404);
    expect(await shown()).toEqual([['a.png', 'b.png']]);
    await service.store('b.png');
    expect(await markAt('a.png')).toBe(404);
    const [item] = (await service.call('GET', '/trash')).json().items as { id: string }[];
    await service.expectAnswer('POST', `/trash/${item?.id}/restore`, undefined, 200, {
      success: true,
      path: 'b (1).png',
    });
    expect(await markAt('a.png')).toBe('a.png');
    expect(await shown()).toEqual([['a.png', 'b (1).png']]);
  });

  test('keeps those of folders', async () => {
    await service.store('a/f/x.png');
    await rename('a/f', 'g');
    await service.call('DELETE', '/storage/a?trash=true&recursive=true');
    expect(await shown()).toEqual([['a/f', 'a/g']]);
    expect(await markAt('a/f/x.png')).toBe(404);
    const batch = { action: 'restore', items: [{ path: 'a' }] };
    expect((await service.call('POST', '/storage/batch', batch)).status).toBe(200);
    expect(await markAt('a/f/x.png')).toBe('a/f/x.png');
  });

  test('ends them when it is emptied', async () => {
    await service.store('a/x.png');
    await rename('a', 'b');
    await service.call('DELETE', '/storage/b?trash=true&recursive=true');
    await service.call('DELETE', '/trash');
    expect(await redirects()).toEqual([]);
  });

  test('is not needed: a final deletion ends redirects at once', async () => {
    await service.store('a/x.png', 'a/y.png');
    await rename('a/x.png', 'z.png');
    await rename('a', 'b');
    await service.call('DELETE', '/storage/b/z.png');
    expect(await shown()).toEqual([['a', 'b']]);
    await service.call('DELETE', '/storage/b?recursive=true');
    expect(await redirects()).toEqual([]);
  });
});

const API_SECRET = 'a-secret-of-at-least-32-characters-of-text';

test('a signature is over the requested path', async () => {
  const signed = await startLibrary({ API_SECRET, DELIVERY_MODE: 'signed' });
  const { limits } = signed.services.config;
  const sign = (raw: string) => signDeliveryUrl(raw, { secret: API_SECRET, limits });
  try {
    await signed.store('a.png');
    await signed.call('PATCH', '/storage/a.png', { name: 'b.png', redirect: true });
    const url = sign('w_10,f_png/a.png');
    const { status, headers } = await ask(signed.url, url);
    const canonical = sign('w_10,f_png/b.png');
    expect([status, headers.link]).toEqual([200, `<${canonical}>; rel="canonical"`]);
    expect((await ask(signed.url, canonical)).status).toBe(200);
    expect((await ask(signed.url, url.replace('a.png', 'b.png'))).status).toBe(401);
    expect((await ask(signed.url, '/t/w_10,f_png/a.png')).status).toBe(401);
  } finally {
    await signed.close();
  }
});

test('webhooks receive redirects, of moves too', async () => {
  const subscription = { url: 'http://127.0.0.1:9/', events: ['redirect.created', 'redirect.deleted'] };
  const { webhook } = (await service.call('POST', '/webhooks', subscription)).json() as { webhook: { id: string } };
  await service.store('a.png');
  await rename('a.png', 'b.png');
  await remove('a.png');
  const { deliveries } = (await service.call('GET', `/webhooks/${webhook.id}/deliveries`)).json();
  expect((deliveries as { event: string }[]).map(({ event }) => event)).toEqual([
    'redirect.deleted',
    'redirect.created',
  ]);
  await service.call('DELETE', `/webhooks/${webhook.id}`);
});

test('redirects are bounded', async () => {
  await service.store('a.png');
  const { db } = service.services.database;
  await sql`
    with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 100000)
    insert into redirect ("from", "to", "isFolder", "createdAt")
    select 'many/' || n || '.png', 'a.png', 0, 1 from numbers
  `.execute(db);
  await service.expectAnswer(
    'POST',
    '/redirects',
    { from: 'one-more.png', to: 'a.png' },
    409,
    problem('Conflict', 'too_many_redirects'),
  );
  expect((await rename('a.png', 'b.png')).json().code).toBe('too_many_redirects');
  expect(await markAt('a.png')).toBe('a.png');
  expect(await markAt('many/77.png')).toBe('a.png');
  await db.deleteFrom('redirect').execute();
});
