import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { call, upload } from '../spaces/asking.ts';
import { killAt } from './kill-at.ts';
import { startServiceProcess } from './service-process.ts';

const API_KEY = 'k'.repeat(40);
const ADMIN = { 'x-api-key': API_KEY };

let data: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'darkroom-private-crash-'));
});
afterEach(() => rm(data, { recursive: true, force: true }));

const start = (options = '') =>
  startServiceProcess({ DATA_DIR: data, API_KEY, RENDER_WORKERS: '1', ...(options && { NODE_OPTIONS: options }) });

test.each([
  { when: 'before', at: 'secret' },
  { when: 'after', at: 'hidden' },
] as const)(
  'a private folder is private $when the step of its move at which the process is killed',
  async ({ when, at }) => {
    const first = await start();
    const fields = { folder: 'top/secret' };
    expect((await upload(first, '', 'plan.png', { headers: ADMIN, fields })).status).toBe(200);
    await call(first, 'PATCH', '/spaces/default', { privateFolders: ['top/secret'] }, ADMIN);
    await first.end('SIGTERM');

    const killed = await start(killAt('rename', when, /top\/secret$/));
    await expect(call(killed, 'PATCH', '/storage/top/secret', { name: 'hidden' }, ADMIN)).rejects.toThrow();
    expect(await killed.exited).toMatchObject({ signal: 'SIGKILL' });

    const service = await start();
    const { data: listed } = await call(service, 'GET', `/storage?path=top/${at}`, undefined, ADMIN);
    expect(listed.files).toMatchObject([{ name: 'plan.png' }]);
    for (const folder of ['top/secret', 'top/hidden'])
      expect([folder, (await ask(service.url, `/t/w_20/${folder}/plan.png`)).status]).toEqual([folder, 401]);
    // Moving it on leaves the rules that are needed.
    expect((await call(service, 'PATCH', `/storage/top/${at}`, { name: 'third' }, ADMIN)).status).toBe(200);
    expect((await ask(service.url, '/t/w_20/top/third/plan.png')).status).toBe(401);
    await service.end('SIGTERM');
  },
);
