import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };
import { ask } from '../http.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8' };

test('GET / leads a browser to the dashboard', async () => {
  const { status, headers } = await ask(service.url, '/', { headers: BROWSER });
  expect([status, headers.location, headers.vary, headers['cache-control']]).toEqual([
    302,
    '/dashboard',
    'Accept',
    'no-store',
  ]);
});

test('a host that is no text is refused', async () => {
  const forged = await ask(service.url, '/', { headers: { ...BROWSER, host: 'a"><script>x' } });
  expect([forged.status, forged.headers['content-type']]).toEqual([400, 'application/json; charset=utf-8']);
});

test.each(['/api/docs'])('the page at %s runs no script, loads nothing and cannot be framed', async (path) => {
  const { headers, body } = await ask(service.url, path, { headers: BROWSER });
  const policy = headers['content-security-policy'] ?? '';
  expect(policy).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
  );
  const html = body.toString();
  expect(html).not.toMatch(/<script|<link|<iframe|\son\w+=|style="|javascript:|@import|url\(/i);
  expect(html).not.toMatch(/(src|srcset)=/);
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(html) ?? [];
  const digest = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(style))).toString('base64');
  expect(policy).toContain(`'sha256-${digest}'`);
  expect([headers['x-frame-options'], headers['x-content-type-options']]).toEqual(['DENY', 'nosniff']);
});

describe('GET / for other clients', () => {
  test.each([{}, { accept: '*/*' }, { accept: 'application/json' }, { accept: 'text/html;q=0, */*' }])(
    'is a little JSON: %j',
    async (headers) => {
      const answer = await ask(service.url, '/', { headers: headers as Record<string, string> });
      expect([answer.status, answer.headers['content-type'], answer.headers.vary]).toEqual([
        200,
        'application/json; charset=utf-8',
        'Accept',
      ]);
      expect(answer.json()).toEqual({
        service: 'darkroom',
        version: packageFile.version,
        documentation: '/api/docs',
        openapi: '/api/openapi.json',
      });
    },
  );

  test('answers HEAD, and other methods with 405', async () => {
    expect((await ask(service.url, '/', { method: 'HEAD' })).status).toBe(200);
    const refused = await ask(service.url, '/', { method: 'POST' });
    expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

test('MODE=api has nothing there and stays 404', async () => {
  const bare = await startService({ MODE: 'api' });
  try {
    const answer = await ask(bare.url, '/', { headers: BROWSER });
    expect([answer.status, answer.json().error]).toEqual([404, 'Unknown endpoint']);
    expect((await ask(bare.url, '/api/docs')).status).toBe(200);
  } finally {
    await bare.close();
  }
});
