import { afterEach, beforeEach, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { checkConfiguration, describeWithHaproxy, type StandIn, startHaproxy, startStandIn } from './haproxy.ts';

const TRANSFORMATIONS = ['w_100/', 'w_100,h_100,c_fill,g_face,f_avif/', 'f_webp,w_20/', 'n_thumb/', ''];
const ORIGINALS = Array.from({ length: 24 }, (_, n) => `products/${n % 5}/photo ${n}.jpg`).map(encodeURI);

let nodes: [StandIn, StandIn];
let haproxy: Awaited<ReturnType<typeof startHaproxy>>;

await describeWithHaproxy('HAProxy with deploy/haproxy.cfg', (program) => {
  beforeEach(async () => {
    nodes = [await startStandIn(), await startStandIn()];
    haproxy = await startHaproxy(program, [nodes[0].port, nodes[1].port]);
    await expect.poll(() => statusOf('/health').catch(() => 0)).toBe(200);
  });
  afterEach(async () => {
    await haproxy.close();
    for (const node of nodes) await node.close();
  });

  test('accepts its configuration', async () => {
    expect(await checkConfiguration(program)).toContain('Configuration file is valid');
  });

  test('sends all variants of an original, the original and signed URLs to one node, and uses both nodes', async () => {
    const urls = (original: string) => [
      ...TRANSFORMATIONS.map((segment) => `/t/${segment}${original}`),
      `/authenticated/s--0123456789abcdef/w_100/${original}`,
      `/authenticated/s--0123456789abcdef--1999999999/${original}`,
      `/b/acme/t/w_100/${original}`,
      `/b/acme/t/${original}`,
      `/b/globex-2/authenticated/s--0123456789abcdef/w_100/${original}`,
    ];
    for (const original of ORIGINALS) for (const url of urls(original)) expect(await statusOf(url)).toBe(200);
    const [first, second] = nodes.map(({ paths }) =>
      ORIGINALS.filter((original) => paths.some((path) => path.endsWith(original))),
    );
    expect([...(first ?? []), ...(second ?? [])].toSorted()).toEqual(ORIGINALS.toSorted());
    expect(first?.length).toBeGreaterThan(4);
    expect(second?.length).toBeGreaterThan(4);
  });

  test('spreads everything else: uploads all have one path', async () => {
    await Promise.all(Array.from({ length: 40 }, () => statusOf('/upload')));
    for (const { paths } of nodes) expect(paths).toContain('/upload');
  });

  test('keeps a resumable upload on the node that began it, while it is there', async () => {
    const begun = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        ask(haproxy.url, `${['', '/api', '/b/acme', '/api/b/acme'][n % 4]}/upload/resumable`, { method: 'POST' }),
      ),
    );
    const uploads = begun.map(({ headers }) => `/upload/${headers.location}`);
    const owners = uploads.map((path) => nodes.findIndex(({ ids }) => ids.includes(path.split('/').at(-1) ?? '')));
    expect(new Set(owners)).toEqual(new Set([0, 1]));
    for (const [n, path] of uploads.entries()) {
      for (const prefix of ['', '/api', '/b/acme']) await statusOf(prefix + path);
      const asked = nodes.map(({ paths }) => paths.filter((one) => one.endsWith(path)).length);
      expect(asked).toEqual(owners[n] === 0 ? [3, 0] : [0, 3]);
    }
    await nodes[0].close();
    await expect.poll(() => statusOf(uploads[owners.indexOf(0)] ?? '')).toBe(200);
  });

  test('leaves a node that is not ready any more, without a failed request', async () => {
    const [leaving, staying] = nodes;
    const statuses: number[] = [];
    const askAll = async () => {
      for (const original of ORIGINALS) statuses.push(await statusOf(`/t/w_100/${original}`));
    };
    await askAll();
    leaving.isReady = false;
    // It continues to respond during its delay, until the proxy sends no more requests.
    await expect
      .poll(async () => {
        leaving.paths = [];
        await askAll();
        return leaving.paths.length;
      })
      .toBe(0);
    expect(leaving.refusals).toBeGreaterThanOrEqual(2);
    await leaving.close();
    await askAll();
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect(staying.paths.length).toBeGreaterThanOrEqual(ORIGINALS.length);
  });
});

async function statusOf(path: string): Promise<number> {
  return (await ask(haproxy.url, path)).status;
}
