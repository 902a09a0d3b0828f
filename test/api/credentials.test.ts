import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ DELIVERY_MODE: 'signed', API_SECRET: 'test-secret-at-least-16-chars-long' });
  await writeFile(join(service.originals, 'alpha.png'), fixture('flag-alpha.png'));
});
afterAll(() => service.close());

const FORM = 'multipart/form-data; boundary=b';
const BODY = '--b\r\nContent-Disposition: form-data; name="folder"\r\n\r\na\r\n--b--\r\n';

/**
 * One of each kind of access check: guarded endpoints, delivery and downloads in signed mode, and presigned uploads.
 */
const DOORS: [string, string][] = [
  ['GET', '/storage'],
  ['GET', '/t/alpha.png'],
  ['GET', '/t/w_20/alpha.png'],
  ['GET', '/download/alpha.png'],
  ['GET', '/metrics'],
  ['POST', '/upload'],
];
const open = (method: string, path: string, headers: Record<string, string>) =>
  ask(service.url, path, {
    method,
    headers: { ...headers, ...(method === 'POST' && { 'content-type': FORM }) },
    ...(method === 'POST' && { body: BODY }),
  });

describe.each(DOORS)('%s %s', (method, path) => {
  test.each([
    ['Authorization: Bearer', { authorization: `Bearer ${TEST_KEY}` }],
    ['Authorization: bearer', { authorization: `bearer ${TEST_KEY}` }],
    ['Authorization: BEARER and more spaces', { authorization: `BEARER   ${TEST_KEY}` }],
    ['x-api-key', { 'x-api-key': TEST_KEY }],
    ['x-api-key beside an Authorization for a proxy', { 'x-api-key': TEST_KEY, authorization: 'Basic YTpi' }],
  ])('takes a good key as %s', async (_, headers) => {
    const { status } = await open(method, path, headers);
    // This form contains no file, which is then the error.
    expect(status).toBe(method === 'POST' ? 400 : 200);
  });

  test.each([
    ['Authorization: Bearer', { authorization: 'Bearer wrong' }],
    ['Authorization: bearer', { authorization: 'bearer wrong' }],
    ['Authorization: bearer without any key', { authorization: 'bearer' }],
    ['x-api-key', { 'x-api-key': 'wrong' }],
    ['Authorization: bearer beside a good x-api-key', { authorization: 'bearer wrong', 'x-api-key': TEST_KEY }],
  ])('is 401 for a wrong key as %s', async (_, headers) => {
    const answer = await open(method, path, headers);
    expect([answer.status, answer.json()]).toEqual([
      401,
      { error: 'Unauthorized', code: 'invalid_api_key', message: 'The API key is not valid.' },
    ]);
  });
});
