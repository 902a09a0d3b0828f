import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask, fixture } from '../http.ts';
import { type PurgeTarget, startPurgeTarget, status } from '../purge-target.ts';
import { TEST_KEY } from '../service.ts';
import { describeOnBoth, type Installation, type Node, newInstallation } from './nodes.ts';

describeOnBoth('the CDN of several machines', () => {
  let target: PurgeTarget;
  let installation: Installation;
  let nodes: Node[];
  beforeAll(async () => {
    target = await startPurgeTarget();
    const settings = { CDN_TAGS: 'true', CDN_PURGE_URL: target.url, CDN_PURGE_DELAY_MS: '4000' };
    installation = await newInstallation(settings);
    nodes = await Promise.all([installation.start(), installation.start()]);
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

  const taken = () => target.received.filter(({ status }) => status === 200);
  const paths = () => taken().flatMap(({ body }) => (JSON.parse(body) as { paths: string[] }).paths);
  const waiting = (node: Node) => node.metric('darkroom_purges{state="waiting"}');

  it('gets one request for one change, whichever machine made it', async () => {
    for (const [n, node] of nodes.entries()) {
      await remove(node, `${n}.png`);
      await target.count(n + 1);
      await expect.poll(() => waiting(node)).toBe(0);
    }
    expect(paths()).toEqual(['0.png', '1.png']);
    const requests = await Promise.all(
      nodes.map((node) => node.metric('darkroom_purge_requests_total{result="received"}')),
    );
    expect(requests.reduce((sum, count) => sum + count)).toBe(2);
  });

  /** Removes a file and kills the node, at any speed: the CDN accepts nothing until the node is dead. */
  async function removeAndKill(node: Node, ...names: string[]): Promise<void> {
    target.answer(status(503));
    await remove(node, ...names);
    await node.end('SIGKILL');
    target.answer(status(200));
  }

  it('is told by another machine when the one that was changed is killed, and by the next start when all are', async () => {
    target.received.length = 0;
    const [one, two] = nodes as [Node, Node];
    await removeAndKill(one, 'killed.png', 'as-well.png');
    expect(paths()).toEqual([]);
    await expect.poll(() => waiting(two)).toBe(0);
    expect([...new Set(paths())].sort()).toEqual(['as-well.png', 'killed.png']);

    const before = paths().length;
    await removeAndKill(two, 'last.png');
    expect(paths().slice(before)).toEqual([]);
    await installation.start();
    await expect.poll(() => paths().slice(before)).toEqual(['last.png']);
  });
});
