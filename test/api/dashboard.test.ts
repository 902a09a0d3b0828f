import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDashboardRoutes, rootRoutes } from '../../src/http/routes/dashboard.ts';
import { ask } from '../http.ts';
import { startService, type TestService } from '../service.ts';

const SCRIPT = 'export const answer = 42;\n';

let folder: string;
let service: TestService;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-dashboard-'));
  service = await startOn(folder);
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

const startOn = (built: string, settings: Record<string, string> = {}) =>
  startService(settings, [rootRoutes, createDashboardRoutes(built)]);

async function build(): Promise<void> {
  await mkdir(join(folder, 'assets'), { recursive: true });
  await writeFile(join(folder, 'assets', 'index-abc.js'), SCRIPT);
  await writeFile(join(folder, 'assets', 'index-abc.js.br'), brotliCompressSync(SCRIPT));
  await writeFile(join(folder, 'assets', 'index-abc.js.gz'), gzipSync(SCRIPT));
  await writeFile(join(folder, 'theme.js'), '// theme');
  await writeFile(join(folder, 'index.html'), '<!doctype html><html><head><title>Darkroom</title></head></html>');
}

describe('before the dashboard is built', () => {
  test('its page says so with a 503, and reloads itself', async () => {
    const { status, headers, body } = await ask(service.url, '/dashboard/files');
    expect([status, headers.refresh, headers['retry-after'], headers['cache-control']]).toEqual([
      503,
      '2',
      '2',
      'no-store',
    ]);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(body.toString()).toContain('The dashboard is being built');
  });
});

describe('the dashboard', () => {
  beforeAll(build);

  test.each(['/dashboard', '/dashboard/', '/dashboard/files/a/b.jpg', '/dashboard/index.html'])(
    'is one page at every address: %s',
    async (path) => {
      const { status, headers, body } = await ask(service.url, path);
      expect([status, headers['content-type'], headers['cache-control'], headers['referrer-policy']]).toEqual([
        200,
        'text/html; charset=utf-8',
        'no-store',
        'same-origin',
      ]);
      expect(body.toString()).toContain('<head><base href="/dashboard/"><meta property="csp-nonce" nonce="');
    },
  );

  test('runs no script but its own and cannot be framed', async () => {
    const { headers, body } = await ask(service.url, '/dashboard');
    const [, nonce] = /nonce="([^"]+)"/.exec(body.toString()) ?? [];
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data: blob:; media-src 'self' blob:; connect-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`,
    );
    expect([headers['x-frame-options'], headers['x-content-type-options']]).toEqual(['DENY', 'nosniff']);
    expect((await ask(service.url, '/dashboard')).body.toString()).not.toContain(String(nonce));
  });

  test.each([
    [undefined, undefined],
    ['gzip, deflate', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0, gzip', 'gzip'],
  ])('sends its files for good, for the codings %s as %s', async (accepted, coding) => {
    const { status, headers, body } = await ask(service.url, '/dashboard/assets/index-abc.js', {
      ...(accepted !== undefined && { headers: { 'accept-encoding': accepted } }),
    });
    expect([status, headers['content-encoding'], headers.vary]).toEqual([200, coding, 'Accept-Encoding']);
    expect([headers['content-type'], headers['cache-control']]).toEqual([
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
    ]);
    const whole = { gzip: gzipSync(SCRIPT), br: brotliCompressSync(SCRIPT) }[coding ?? ''] ?? Buffer.from(SCRIPT);
    expect(body).toEqual(whole);
  });

  test('sends what has no hash in its name for now', async () => {
    const { headers, body } = await ask(service.url, '/dashboard/theme.js');
    expect([headers['cache-control'], body.toString()]).toEqual(['no-cache', '// theme']);
  });

  test.each(['/dashboard/assets/old-def.js', '/dashboard/assets/../../package.json'])(
    'has no page in the place of a file that is gone: %s',
    async (path) => {
      const { status, headers } = await ask(service.url, path);
      expect([status, headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
    },
  );

  test('works behind a proxy that takes a prefix away', async () => {
    const known = await startOn(folder, { PUBLIC_URL: 'https://example.com/media/' });
    try {
      expect((await ask(known.url, '/dashboard')).body.toString()).toContain('<base href="/media/dashboard/">');
      const { status, headers } = await ask(known.url, '/', { headers: { accept: 'text/html' } });
      expect([status, headers.location, headers.vary]).toEqual([302, '/media/dashboard', 'Accept']);
    } finally {
      await known.close();
    }
  });

  test('is not there with MODE=api', async () => {
    const bare = await startOn(folder, { MODE: 'api' });
    try {
      for (const path of ['/dashboard', '/dashboard/assets/index-abc.js'])
        expect([path, (await ask(bare.url, path)).status]).toEqual([path, 404]);
    } finally {
      await bare.close();
    }
  });
});
