import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask, fixture } from '../http.ts';
import { type PurgeTarget, startPurgeTarget } from '../purge-target.ts';
import { TEST_KEY } from '../service.ts';
import { describeOnBoth, type Installation, type Node, newInstallation } from './nodes.ts';

describeOnBoth('the CDN of several machines', () => {
  let target: PurgeTarget;
  let installation: Installation;
  beforeAll(async () => {
    target = await startPurgeTarget();
    installation = await newInstallation({ CDN_TAGS: 'true', CDN_PURGE_URL: target.url });
  });
  afterAll(async () => {
    await installation.close();
    await target.close();
  });

  async function remove(node: Node, ...names: string[]): Promise<void> {
    for (const name of names) await installation.upload(node, name, fixture('flag-alpha.png'));
    const asking = { method: 'DELETE', headers: { 'x-api-key': TEST_KEY } };
    const answers = await Promise.all(names.map((name) => ask(node.url, `/storage/${name}`, asking)));
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
  }

  const paths = () => target.received.flatMap(({ body }) => (JSON.parse(body) as { paths: string[] }).paths);
  const waiting = (node: Node) => node.metric('darkroom_purges{state="waiting"}');

  it('gets one request for one change, whichever machine made it', async () => {
    const [one, two] = (await Promise.all([installation.start(), installation.start()])) as [Node, Node];
    for (const [n, node] of [one, two, one, two].entries()) {
      await remove(node, `${n}.png`);
      await target.count(n + 1);
      await expect.poll(() => waiting(node)).toBe(0);
    }
    expect(paths()).toEqual(['0.png', '1.png', '2.png', '3.png']);
    const received = 'darkroom_purge_requests_total{result="received"}';
    expect((await one.metric(received)) + (await two.metric(received))).toBe(4);
    await Promise.all([one.end('SIGTERM'), two.end('SIGTERM')]);
  });

  it('is told by another machine when the one that was changed is killed', async () => {
    target.received.length = 0;
    const [one, two] = await Promise.all([
      installation.start({ CDN_PURGE_DELAY_MS: '5000' }),
      installation.start({ CDN_PURGE_DELAY_MS: '5000' }),
    ]);
    await remove(one, 'killed.png', 'as-well.png');
    await one.end('SIGKILL');
    expect(target.received).toEqual([]);
    await target.count(1);
    await expect.poll(() => waiting(two)).toBe(0);
    expect(paths().sort()).toEqual(['as-well.png', 'killed.png']);
    await two.end('SIGTERM');
  });

  it('is told by the next start when all machines are killed', async () => {
    target.received.length = 0;
    const last = await installation.start({ CDN_PURGE_DELAY_MS: '10000' });
    await remove(last, 'last.png');
    await last.end('SIGKILL');
    const next = await installation.start();
    await target.count(1);
    expect(paths()).toEqual(['last.png']);
    await next.end('SIGTERM');
  });
});
