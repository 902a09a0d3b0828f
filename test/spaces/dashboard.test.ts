import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDashboardRoutes, rootRoutes } from '../../src/http/routes/dashboard.ts';
import { ask } from '../http.ts';
import { startService, type TestService } from '../service.ts';

const HOST = 'media.acme.example';

let folder: string;
let service: TestService;
let published: TestService;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-dashboard-'));
  await writeFile(join(folder, 'index.html'), '<!doctype html><html><head><title>Darkroom</title></head></html>');
  service = await start();
  published = await start({ PUBLIC_URL: 'https://example.com/media' });
});
afterAll(async () => {
  await service.close();
  await published.close();
  await rm(folder, { recursive: true });
});

async function start(settings: Record<string, string> = {}): Promise<TestService> {
  const started = await startService(settings, [rootRoutes, createDashboardRoutes(folder)]);
  await started.services.spaceManager.create({ id: 'acme', hosts: [HOST], rules: {} });
  return started;
}

const HTML = { accept: 'text/html' };

test('pages of a space are below /dashboard/b/', async () => {
  const { status, body } = await ask(service.url, '/dashboard/b/acme/files/logos');
  expect([status, body.toString()]).toEqual([200, expect.stringContaining('<base href="/dashboard/">')]);
});

test.each([
  ['/b/acme/dashboard', '/dashboard/b/acme'],
  ['/b/acme/dashboard/files/logos?view=list', '/dashboard/b/acme/files/logos?view=list'],
  ['/b/acme/', '/dashboard/b/acme'],
])('the dashboard below the prefix of a space is there too: %s', async (path, location) => {
  const { status, headers } = await ask(service.url, path, { headers: HTML });
  expect([status, headers.location]).toEqual([302, location]);
  const behind = await ask(published.url, path, { headers: HTML });
  expect([behind.status, behind.headers.location]).toEqual([302, `/media${location}`]);
});

test('at the host of a space it is that of the space, without the prefix of PUBLIC_URL', async () => {
  for (const { url } of [service, published]) {
    const { status, body } = await ask(url, '/dashboard/files', { headers: { host: HOST } });
    expect([status, body.toString()]).toEqual([200, expect.stringContaining('<base href="/dashboard/">')]);
    const { headers } = await ask(url, '/', { headers: { ...HTML, host: HOST } });
    expect(headers.location).toBe('/dashboard');
  }
});
