import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask, fixture } from '../http.ts';
import { terminate } from '../postgres/cluster/nodes.ts';
import { type S3Proxy, startProxy } from '../s3/proxy.ts';
import { describeOnBoth, type Installation, type Node, newInstallation } from './nodes.ts';

const PHOTO = fixture('photo-2725x2225.jpg');
/** Four services start, on a host that may be busy with other tests. */
const TIMEOUT_MS = 180_000;
const WAITS = 'darkroom_renders_elsewhere_waits_total';
const FOUND = 'darkroom_renders_elsewhere_found_total';
const TIMEOUTS = 'darkroom_renders_elsewhere_timeouts_total';
const RENDERS = 'darkroom_renders_total';

describeOnBoth('a cold variant of several machines', () => {
  let installation: Installation;
  let nodes: Node[];
  beforeAll(async () => {
    // On a busy host a render may take longer than the default timeout.
    installation = await newInstallation({ RENDER_ELSEWHERE_WAIT_MS: '300000' });
    const first = await installation.start();
    nodes = [first, ...(await Promise.all([1, 2, 3].map(() => installation.start())))];
    await installation.upload(first, 'photo.jpg', PHOTO);
  }, TIMEOUT_MS);
  afterAll(() => installation.close());

  const renders = async () => {
    const counts = await Promise.all(nodes.map((node) => node.metric(RENDERS)));
    return counts.reduce((sum, count) => sum + count);
  };

  it.each([
    [200, 'w_300,f_webp'],
    [1000, 'w_301,f_avif'],
  ])('is rendered once for %i requests, and all get the same bytes', async (count, transformation) => {
    const before = await renders();
    const asked = Array.from({ length: count }, (_, n) =>
      ask(nodes[n % 4]?.url ?? '', `/t/${transformation}/photo.jpg`),
    );
    const answers = await Promise.all(asked);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.toString('base64'))).size).toBe(1);
    expect(new Set(answers.map(({ headers }) => headers.etag)).size).toBe(1);
    expect(await renders()).toBe(before + 1);
  });

  it('is rendered by a machine that has lost PostgreSQL, which is back soon', async () => {
    await terminate(installation.databaseUrl, 'darkroom session');
    const answers = await Promise.all(nodes.map(({ url }) => ask(url, '/t/w_302,f_webp/photo.jpg')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.toString('base64'))).size).toBe(1);
    for (const node of nodes) await expect.poll(() => node.metric('darkroom_cluster_connected')).toBe(1);
  });

  it('is the original itself where that cannot be decoded, on every machine', async () => {
    const broken = fixture('truncated.jpg').subarray(0, 500);
    await installation.upload(nodes[0] as Node, 'broken.jpg', broken);
    const answers = await Promise.all(nodes.map(({ url }) => ask(url, '/t/w_300,f_webp/broken.jpg')));
    expect(answers.map(({ status, body }) => [status, body.equals(broken)])).toEqual(nodes.map(() => [200, true]));
  });
});

/** One node renders a variant, but its copy does not reach the bucket; another node waits for it. */
describeOnBoth('a cold variant whose renderer does not come to the end', () => {
  let installation: Installation;
  let proxy: S3Proxy;
  let [slow, stopped, other, impatient]: Node[] = [];
  beforeAll(async () => {
    installation = await newInstallation({ RENDER_ELSEWHERE_WAIT_MS: '300000' });
    proxy = await startProxy(installation.environment.STORAGE_ENDPOINT ?? '');
    other = await installation.start();
    await installation.upload(other, 'photo.jpg', PHOTO);
    const behindProxy = { STORAGE_ENDPOINT: proxy.endpoint };
    [slow, stopped, impatient] = await Promise.all([
      installation.start(behindProxy),
      installation.start(behindProxy),
      installation.start({ RENDER_ELSEWHERE_WAIT_MS: '500' }),
    ]);
  }, TIMEOUT_MS);
  afterAll(async () => {
    await installation.close();
    await proxy.close();
  });

  function holdCopies(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    proxy.fault = (request) => (request.startsWith('PUT variants/') ? { delayUntil: promise } : undefined);
    return resolve;
  }

  const figures = async (node: Node | undefined) => {
    const names = { renders: RENDERS, waits: WAITS, found: FOUND, timeouts: TIMEOUTS };
    const entries = Object.entries(names).map(async ([name, metric]) => [name, (await node?.metric(metric)) ?? 0]);
    return Object.fromEntries(await Promise.all(entries)) as Record<keyof typeof names, number>;
  };

  /** Returns the response of one node, and the request to another one, which waits for it. */
  async function waiting(path: string) {
    const first = await ask(slow?.url ?? '', path);
    const before = await figures(other);
    const second = ask(other?.url ?? '', path);
    await expect.poll(() => other?.metric(WAITS)).toBe(before.waits + 1);
    return { first, second, before };
  }

  it('is answered at once where it was rendered, and elsewhere when it is in the bucket', async () => {
    const store = holdCopies();
    const { first, second, before } = await waiting('/t/w_300,f_webp/photo.jpg');
    expect(first.status).toBe(200);
    store();
    expect((await second).body.equals(first.body)).toBe(true);
    expect(await figures(other)).toEqual({ ...before, waits: before.waits + 1, found: before.found + 1 });
  });

  it('is rendered by another machine when that one is killed', async () => {
    holdCopies();
    const { first, second, before } = await waiting('/t/w_301,f_webp/photo.jpg');
    await slow?.end('SIGKILL');
    expect((await second).body.equals(first.body)).toBe(true);
    expect(await figures(other)).toEqual({ ...before, waits: before.waits + 1, renders: before.renders + 1 });
  });

  it('is rendered by another machine when that one is stopped and the wait is over', async () => {
    holdCopies();
    const path = '/t/w_302,f_webp/photo.jpg';
    const first = await ask(stopped?.url ?? '', path);
    stopped?.child.kill('SIGSTOP');
    const before = await figures(impatient);
    const second = await ask(impatient?.url ?? '', path);
    expect(second.body.equals(first.body)).toBe(true);
    const after = { waits: before.waits + 1, timeouts: before.timeouts + 1, renders: before.renders + 1 };
    expect(await figures(impatient)).toEqual({ ...before, ...after });
  });
});
