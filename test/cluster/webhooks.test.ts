import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask, fixture } from '../http.ts';
import { type PurgeTarget, startPurgeTarget, status } from '../purge-target.ts';
import { TEST_KEY } from '../service.ts';
import { describeOnBoth, type Installation, type Node, newInstallation } from './nodes.ts';

describeOnBoth('the webhooks of several machines', () => {
  let receiver: PurgeTarget;
  let installation: Installation;
  let nodes: Node[];
  beforeAll(async () => {
    receiver = await startPurgeTarget();
    installation = await newInstallation({ OUTGOING_PRIVATE_NETWORKS: '127.0.0.1' });
    nodes = await Promise.all([installation.start(), installation.start()]);
  });
  afterAll(async () => {
    await installation.close();
    await receiver.close();
  });

  const headers = { 'x-api-key': TEST_KEY, 'content-type': 'application/json' };
  const paths = () =>
    receiver.received.filter((one) => one.status === 200).map(({ body }) => JSON.parse(body).data.path);
  const waiting = (node: Node) => node.metric('darkroom_webhook_deliveries_waiting');

  it('tell of each change once, whichever machine makes it, as soon as one of them knows the webhook', async () => {
    const [one, two] = nodes as [Node, Node];
    const body = JSON.stringify({ url: receiver.url, events: ['file.stored'] });
    expect((await ask(one.url, '/webhooks', { method: 'POST', headers, body })).status).toBe(200);
    // The other node receives it promptly, but not in the same moment.
    for (let n = 0; paths().length === 0; n++)
      await installation.upload(two, `heard-${n}.png`, fixture('flag-alpha.png'));
    receiver.received.length = 0;
    const names = Array.from({ length: 12 }, (_, n) => `${n}.png`);
    await Promise.all(names.map((name, n) => installation.upload(n % 2 ? one : two, name, fixture('flag-alpha.png'))));
    await expect.poll(() => new Set(paths().filter((path) => names.includes(path))).size).toBe(12);
    await expect.poll(() => waiting(one)).toBe(0);
    const ids = receiver.received.map((request) => request.headers['webhook-id']);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('are told by another machine when the one that made the change is killed', async () => {
    const [one, two] = nodes as [Node, Node];
    receiver.received.length = 0;
    receiver.answer(status(503));
    await installation.upload(one, 'killed.png', fixture('flag-alpha.png'));
    await one.end('SIGKILL');
    receiver.answer(status(200));
    // If it was killed between the response and its record of it, its claim must expire.
    await expect.poll(paths, { timeout: 120_000 }).toContain('killed.png');
    await expect.poll(() => waiting(two)).toBe(0);
  });
});
