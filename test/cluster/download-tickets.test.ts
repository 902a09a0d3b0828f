import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { TEST_KEY } from '../service.ts';
import { describeOnBoth, type Installation, type Node, newInstallation } from './nodes.ts';

describeOnBoth('a ticket for a download', () => {
  let installation: Installation;
  let one: Node;
  let other: Node;
  beforeAll(async () => {
    installation = await newInstallation();
    one = await installation.start();
    other = await installation.start();
    await installation.upload(one, 'flag.png', fixture('flag-alpha.png'));
  });
  afterAll(() => installation.close());

  test('of one machine is good at the other, and once at all of them', async () => {
    const answer = await ask(one.url, '/download-zip/ticket', {
      method: 'POST',
      headers: { 'x-api-key': TEST_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ paths: ['flag.png'] }),
    });
    expect(answer.status).toBe(200);
    const { url, size } = answer.json() as { url: string; size: number };
    const [first, ...others] = await Promise.all([other, one, other, one].map((node) => ask(node.url, url)));
    const all = [first, ...others];
    expect(all.map((one) => one?.status).toSorted()).toEqual([200, 404, 404, 404]);
    expect(all.find((one) => one?.status === 200)?.body.length).toBe(size);
  });
});
