import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask } from '../http.ts';
import { picture } from '../library.ts';
import { terminate } from '../postgres/cluster/nodes.ts';
import { spawnCommand } from '../process/service-process.ts';
import { TEST_KEY } from '../service.ts';
import { describeOnBoth, type Installation, type Node, newInstallation } from './nodes.ts';

const ADMIN = new URL('../../src/admin.ts', import.meta.url).pathname;
const SECRET = { authorization: `Bearer ${TEST_KEY}` };

describeOnBoth('a change on one machine', () => {
  let installation: Installation;
  let here: Node;
  let there: Node;
  beforeAll(async () => {
    // Long enough that only notifications reveal a change.
    installation = await newInstallation({ ORIGINAL_CHECK_INTERVAL_MS: '3600000' });
    here = await installation.start();
    there = await installation.start();
  });
  afterAll(() => installation.close());

  const call = (
    { url }: Node,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = SECRET,
  ) =>
    ask(url, path, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const change = async (method: string, path: string, body?: unknown, node = here) =>
    expect((await call(node, method, path, body)).status).toBe(200);
  const store = (name: string, bytes = picture(name)) => installation.upload(here, name, bytes);
  const statusThere = (path: string) => async () => (await ask(there.url, path)).status;
  /** Has the other node cache a file and a variant of it. */
  const learn = async (name: string) => {
    for (const path of [`/t/${name}`, `/t/w_10,f_png/${name}`, `/t/w_10,f_png/${name}`])
      expect((await ask(there.url, path)).status).toBe(200);
  };
  const cached = async (path: string) => (await ask(there.url, path)).headers['x-cache'];
  const place = async (folder: string, name: string) => {
    await store(name);
    await change('POST', `/storage/${name}/move`, { destination: folder });
    return `${folder}/${name}`;
  };

  it('of a file that is deleted is seen on the other one', async () => {
    await store('gone.png');
    await learn('gone.png');
    await change('DELETE', '/storage/gone.png');
    await expect.poll(statusThere('/t/gone.png')).toBe(404);
    await expect.poll(statusThere('/t/w_10,f_png/gone.png')).toBe(404);
  });

  it('of a redirect is seen on the other one: made, changed, and deleted', async () => {
    await store('first-target.png');
    await store('second-target.png');
    const url = '/t/w_10,f_png/redirected.png';
    const linkThere = async () => (await ask(there.url, url)).headers.link;
    for (let n = 0; n < 3; n++) expect((await ask(there.url, url)).status).toBe(404);
    for (const to of ['first-target.png', 'second-target.png']) {
      expect((await call(here, 'POST', '/redirects', { from: 'redirected.png', to })).status).toBe(201);
      await expect.poll(linkThere).toBe(`</t/w_10,f_png/${to}>; rel="canonical"`);
      for (let n = 0; n < 3; n++) await ask(there.url, url);
    }
    await change('POST', '/storage/second-target.png/move', { destination: 'moved' });
    await expect.poll(linkThere).toBe('</t/w_10,f_png/moved/second-target.png>; rel="canonical"');
    await change('DELETE', '/redirects?from=redirected.png');
    await expect.poll(statusThere(url)).toBe(404);
  });

  it('of a file that lies over a picture is seen in the pictures of the other one', async () => {
    const url = '/t/w_10,f_png~l_mark.png,w_4,g_nw/under.png';
    await store('under.png');
    await store('mark.png', picture('mark'));
    const cachedThere = async () => (await ask(there.url, url)).headers['x-cache'];
    await ask(there.url, url);
    await expect.poll(cachedThere).toBe('hit');
    const { etag } = (await ask(there.url, url)).headers;
    await change('DELETE', '/storage/mark.png');
    await expect.poll(statusThere(url)).toBe(404);
    await store('mark.png', picture('another mark'));
    await expect.poll(statusThere(url)).toBe(200);
    expect((await ask(there.url, url)).headers.etag).not.toBe(etag);
  });

  it('that brings a file back with other bytes is seen', async () => {
    await store('back.png', picture('first'));
    await learn('back.png');
    await change('DELETE', '/storage/back.png');
    await store('back.png', picture('second'));
    await expect.poll(async () => (await ask(there.url, '/t/back.png')).body.equals(picture('second'))).toBe(true);
  });

  it('that replaces a file is seen, and so is one that brings back a version', async () => {
    await store('same.png', picture('first'));
    await learn('same.png');
    const bytesThere = async () => (await ask(there.url, '/t/same.png')).body;
    const replacing = await ask(here.url, '/storage/same.png', {
      method: 'PUT',
      headers: SECRET,
      body: picture('second'),
    });
    expect(replacing.status).toBe(200);
    await expect.poll(bytesThere).toEqual(picture('second'));
    await expect.poll(() => cached('/t/w_10,f_png/same.png')).not.toBe('hit');
    const { versions } = (await call(there, 'GET', '/storage/same.png/versions')).json() as {
      versions: { id: string }[];
    };
    await change('POST', `/storage/same.png/versions/${versions[0]?.id}/restore`);
    await expect.poll(bytesThere).toEqual(picture('first'));
  });

  it('that moves a file or a folder into the trash and back is seen', async () => {
    await store('trashed.png');
    const inFolder = await place('trashed', 'inside.png');
    for (const [name, path] of [
      ['trashed.png', 'trashed.png'],
      ['trashed', inFolder],
    ] as const) {
      await learn(path);
      await change('DELETE', `/storage/${name}?trash=true&recursive=true`);
      await expect.poll(statusThere(`/t/${path}`)).toBe(404);
      await expect.poll(statusThere(`/t/w_10,f_png/${path}`)).toBe(404);
      const { items } = (await call(there, 'GET', '/trash')).json() as { items: { id: string }[] };
      await change('POST', `/trash/${items[0]?.id}/restore`);
      await expect.poll(statusThere(`/t/${path}`)).toBe(200);
    }
  });

  it('of the focal point of a picture changes the crops of the other one', async () => {
    await store('focal.png');
    const cropThere = async (gravity = '') =>
      (await ask(there.url, `/t/w_10,h_4,c_fill${gravity},f_png/focal.png`)).body;
    const before = await cropThere();
    const top = await cropThere(',g_fp:0:0');
    expect(top).not.toEqual(before);
    await change('PATCH', '/assets/focal.png', { focal: { x: 0, y: 0 } });
    await expect.poll(() => cropThere()).toEqual(top);
    await change('PATCH', '/assets/focal.png', { focal: null });
    await expect.poll(() => cropThere()).toEqual(before);
  });

  it('that adds a file is seen where it was missing a moment ago', async () => {
    expect(await statusThere('/t/late.png')()).toBe(404);
    await store('late.png');
    await expect.poll(statusThere('/t/late.png')).toBe(200);
  });

  it('that renames or moves a file is seen at both names', async () => {
    await store('old.png');
    await learn('old.png');
    expect(await statusThere('/t/new.png')()).toBe(404);
    await change('PATCH', '/storage/old.png', { name: 'new.png' });
    await expect.poll(statusThere('/t/w_10,f_png/old.png')).toBe(404);
    await expect.poll(statusThere('/t/w_10,f_png/new.png')).toBe(200);
    await change('POST', '/storage/new.png/move', { destination: 'moved' });
    await expect.poll(statusThere('/t/new.png')).toBe(404);
    await expect.poll(statusThere('/t/moved/new.png')).toBe(200);
  });

  it('of a folder that is renamed or deleted is seen for what is in it', async () => {
    const path = await place('album', 'in-album.png');
    await learn(path);
    await change('PATCH', '/storage/album', { name: 'book' });
    await expect.poll(statusThere(`/t/w_10,f_png/${path}`)).toBe(404);
    await expect.poll(statusThere('/t/w_10,f_png/book/in-album.png')).toBe(200);
    await change('DELETE', '/storage/book?recursive=true');
    await expect.poll(statusThere('/t/book/in-album.png')).toBe(404);
  });

  it('is not hidden by the pages of a listing that somebody turns', async () => {
    await place('pages', '1.png');
    await place('pages', '2.png');
    const first = (await call(there, 'GET', '/storage?path=pages&limit=1')).json() as { nextCursor: string };
    await change('DELETE', '/storage/pages/2.png');
    const next = `/storage?path=pages&limit=1&cursor=${encodeURIComponent(first.nextCursor)}`;
    await expect.poll(async () => (await call(there, 'GET', next)).json().files).toEqual([]);
  });

  it.each(['/invalidate/stale.png', '/invalidate/stale'])(
    'has variants made again on the other one: DELETE %s',
    async (path) => {
      await store('stale.png');
      const inside = await place('stale', `${path.length}.png`);
      const name = path.endsWith('.png') ? 'stale.png' : inside;
      await learn(name);
      const url = `/t/w_10,f_png/${name}`;
      expect(await cached(url)).toBe('hit');
      const renders = await there.metric('darkroom_renders_total');
      await change('DELETE', path);
      await expect.poll(() => cached(url)).toBe('miss');
      expect(await there.metric('darkroom_renders_total')).toBe(renders + 1);
      await change('DELETE', '/storage/stale.png');
    },
  );

  it('has all variants made again on the other one: POST /storage/cache/clear', async () => {
    await store('all.png');
    await learn('all.png');
    await change('POST', '/storage/cache/clear');
    await expect.poll(() => cached('/t/w_10,f_png/all.png')).toBe('miss');
  });

  it('of a key counts on the other one', async () => {
    const create = async () =>
      (await call(here, 'POST', '/api-keys/create')).json().apiKey as { id: string; key: string };
    const revoked = await create();
    const disabled = await create();
    const ask = (key: string) => async () =>
      (await call(there, 'GET', '/storage', undefined, { 'x-api-key': key })).status;
    for (const { key } of [revoked, disabled]) expect(await ask(key)()).toBe(200);
    await change('DELETE', `/api-keys/${revoked.id}`);
    await change('PATCH', `/api-keys/${disabled.id}`, { enabled: false });
    for (const { key } of [revoked, disabled]) await expect.poll(ask(key)).toBe(401);
    await change('PATCH', `/api-keys/${disabled.id}`, { enabled: true }, there);
    await expect.poll(ask(disabled.key)).toBe(200);
  });

  it('of a key by the command for operators counts on all', async () => {
    const { id, key } = (await call(here, 'POST', '/api-keys/create')).json().apiKey as { id: string; key: string };
    const statuses = () =>
      Promise.all(
        [here, there].map(
          async (node) => (await call(node, 'GET', '/storage', undefined, { 'x-api-key': key })).status,
        ),
      );
    expect(await statuses()).toEqual([200, 200]);
    const environment = { ...installation.environment, DATA_DIR: here.data };
    const admin = spawnCommand([process.execPath, ADMIN, 'keys', 'revoke', id], environment);
    expect(await admin.exited).toEqual({ code: 0, signal: null });
    await expect.poll(statuses, { timeout: 15_000 }).toEqual([401, 401]);
  });

  it('that was made while the other one had lost touch is seen when it is back', async () => {
    await store('missed.png');
    await store('missed-too.png');
    for (const name of ['missed.png', 'missed-too.png']) await learn(name);
    // The changing node cannot publish now, and the other one cannot receive.
    await terminate(installation.databaseUrl, 'darkroom session');
    await change('DELETE', '/storage/missed.png');
    await change('DELETE', '/invalidate/missed-too.png');
    await expect.poll(statusThere('/t/w_10,f_png/missed.png')).toBe(404);
    await expect.poll(() => cached('/t/w_10,f_png/missed-too.png')).toBe('miss');
  });

  it('that was made while the other one was off is seen when it starts again', async () => {
    const DATA_DIR = there.data;
    await store('asleep.png');
    await store('awake.png');
    for (const name of ['asleep.png', 'awake.png']) await learn(name);
    await there.end('SIGTERM');
    await change('DELETE', '/invalidate/asleep.png');
    there = await installation.start({ DATA_DIR });
    expect(await cached('/t/w_10,f_png/asleep.png')).toBe('miss');
    expect(await cached('/t/w_10,f_png/awake.png')).toBe('hit');
  });
});
