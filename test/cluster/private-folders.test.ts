import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { call, upload } from '../spaces/asking.ts';
import { describeOnBoth, type Installation, type Node, newInstallation } from './nodes.ts';
import { sameTestsOnCluster } from './same-tests.ts';

sameTestsOnCluster('private folders', () => import('../spaces/private-folders.test.ts'));

describeOnBoth('of two nodes', () => {
  let installation: Installation;
  let nodes: [Node, Node];
  beforeAll(async () => {
    installation = await newInstallation();
    nodes = [await installation.start(), await installation.start()];
    const stored = await upload(nodes[0], '', 'plan.png', { fields: { folder: 'top/secret' } });
    expect(stored.status).toBe(200);
    await call(nodes[0], 'PATCH', '/spaces/default', { privateFolders: ['top/secret'] });
  });
  afterAll(() => installation.close());

  test('a private folder is closed on each while another one moves it', async () => {
    const statusOf = async (path: string) => (await ask(nodes[1].url, path)).status;
    const paths = ['/t/w_20/top/secret/plan.png', '/t/w_20/moved/secret/plan.png', '/download/moved/secret/plan.png'];
    await expect.poll(() => statusOf(paths[0] as string), { timeout: 30_000 }).toBe(401);
    const seen = new Set<number>();
    const look = async () => {
      for (const path of paths) seen.add(await statusOf(path));
    };
    let isMoved = false;
    const move = call(nodes[0], 'PATCH', '/storage/top', { name: 'moved' }).finally(() => {
      isMoved = true;
    });
    while (!isMoved) await look();
    expect((await move).status).toBe(200);
    for (let round = 0; round < 50; round++) await look();
    expect([...seen].sort()).toEqual([401, 404]);
    expect(await statusOf('/t/w_20/moved/secret/plan.png')).toBe(401);
  });
});
