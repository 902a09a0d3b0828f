import { afterAll, beforeAll, expect, test } from 'vitest';
import { request, startFastPath } from '../api/fast-path-client.ts';
import type { TestService } from '../service.ts';
import { call, upload } from './asking.ts';

let service: TestService;
beforeAll(async () => {
  service = await startFastPath();
  await call(service, 'POST', '/spaces', { id: 'acme' });
  await upload(service, '/b/acme', 'logo.png');
});
afterAll(() => service.close());

const IN_SPACE = ['/api/b/acme/t/w_20,f_png/logo.png', '/b/acme/t/w_20,f_png/logo.png'];

test('takes the fast path below /api too, and never with a file of a space where there is another one or none', async () => {
  const [first = ''] = IN_SPACE;
  await request(service, first);
  const usual = await request(service, first);
  expect([usual.isFast, usual.status]).toEqual([false, 200]);
  for (const path of IN_SPACE) {
    const hot = await request(service, path);
    expect([path, hot.isFast, hot.lines]).toEqual([path, true, usual.lines]);
  }
  for (const path of ['/api/t/w_20,f_png/logo.png', '/api/b/acme2/t/w_20,f_png/logo.png'])
    expect([path, (await request(service, path)).status]).toEqual([path, 404]);
  await call(service, 'PATCH', '/spaces/acme', { enabled: false });
  for (const path of IN_SPACE) expect([path, (await request(service, path)).status]).toEqual([path, 403]);
});
