import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Space } from '../../src/spaces/space.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
  await change('POST', '/spaces', { id: 'acme' });
});
afterAll(() => service.close());

async function change(method: string, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await service.authorized(path, { method, headers, body: JSON.stringify(body) });
  expect(response.status).toBe(200);
}

const acme = () => service.services.spaces.find('acme') as Space;

test('requests and work of a space meet the same services', () => {
  const { openSpace } = service.services;
  const opened = openSpace({ space: acme(), entrance: 'prefix' });
  expect(openSpace({ space: acme(), entrance: 'prefix' })).toBe(opened);
  expect(openSpace({ space: acme(), entrance: 'host' })).not.toBe(opened);
});

test('a space that changes is opened again, with its new rules', async () => {
  const { openSpace } = service.services;
  const before = openSpace({ space: acme(), entrance: 'prefix' });
  await change('PATCH', '/spaces/acme', { maxFileBytes: 1000 });
  const after = openSpace({ space: acme(), entrance: 'prefix' });
  expect(after).not.toBe(before);
  expect(after.config.upload.maxFileBytes).toBe(1000);
});
