import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Space } from '../../src/spaces/space.ts';
import { createSpace, startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
  await createSpace(service, 'acme');
});
afterAll(() => service.close());

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
  await service.services.spaceManager.update('acme', { rules: { maxFileBytes: 1000 } });
  const after = openSpace({ space: acme(), entrance: 'prefix' });
  expect(after).not.toBe(before);
  expect(after.config.upload.maxFileBytes).toBe(1000);
});
