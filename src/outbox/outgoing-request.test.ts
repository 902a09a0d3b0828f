import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../test/ports.ts';
import { type PurgeTarget, startPurgeTarget, status } from '../../test/purge-target.ts';
import { DeliveryFailure } from './failure.ts';
import { sendRequest } from './outgoing-request.ts';

const TOKEN = 'token-0123456789';

let target: PurgeTarget;
beforeAll(async () => {
  target = await startPurgeTarget();
});
beforeEach(() => {
  target.received.length = 0;
  target.answer(status(200, {}, 'done'));
});
afterAll(() => target.close());

function send(url = target.url, timeoutMs = 5000, signal = new AbortController().signal): Promise<string> {
  const headers = { Authorization: `Bearer ${TOKEN}` };
  return sendRequest({ url, method: 'POST', headers, body: '{}' }, { secrets: [TOKEN], signal, timeoutMs });
}

async function failure(sending: Promise<unknown>): Promise<DeliveryFailure> {
  const error = await sending.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(DeliveryFailure);
  expect(String((error as Error).stack)).not.toContain(TOKEN);
  return error as DeliveryFailure;
}

test('a good answer is given back', async () => {
  expect(await send()).toBe('done');
});

test('of a long answer the beginning is read, and the rest is not waited for', async () => {
  target.answer((response) => {
    response.writeHead(200);
    const more = () => response.write('x'.repeat(65_536));
    response.on('drain', more);
    more();
  });
  expect((await send()).length).toBe(65_536);
});

test('a bad answer says its status and what it is about on one line, without the token', async () => {
  target.answer(status(403, {}, `no\n rights\u0007 for Bearer ${TOKEN} ${'x'.repeat(500)}`));
  const { message } = await failure(send());
  expect(message).toMatch(/^status 403: no rights for Bearer \[secret\] x+$/);
  expect(message.length).toBeLessThan(230);
});

test('a redirect is not followed', async () => {
  target.answer(status(307, { location: `${target.url}/elsewhere` }, ''));
  expect((await failure(send())).message).toBe('status 307, a redirect, which is not followed');
  expect(target.received).toHaveLength(1);
});

test('a refused connection says so', async () => {
  expect((await failure(send(`http://127.0.0.1:${await freePort()}`))).message).toBe('no connection (ECONNREFUSED)');
});

test('a server that does not answer, or does not end its answer, is given up', async () => {
  target.answer(
    () => undefined,
    (response) => void response.writeHead(200).write('half'),
  );
  for (let time = 0; time < 2; time++) {
    expect((await failure(send(target.url, 50))).message).toBe('no answer within 50 ms');
  }
});

test('Retry-After is heeded as a number or a date, for an hour at most', async () => {
  const inAMinute = new Date(Date.now() + 60_000).toUTCString();
  const waits = ['7', '999999999', 'soon', inAMinute, 'Thu, 01 Jan 1970 00:00:00 GMT'].map(async (value) => {
    const own = await startPurgeTarget();
    own.answer(status(429, { 'retry-after': value }));
    const { retryAfterMs } = await failure(send(own.url));
    await own.close();
    return retryAfterMs;
  });
  const [seconds, long, word, date, past] = await Promise.all(waits);
  expect([seconds, long, word, past]).toEqual([7000, 3_600_000, undefined, 0]);
  expect(date).toBeGreaterThan(50_000);
  expect(date).toBeLessThanOrEqual(60_000);
});

test('an abort ends it with its reason', async () => {
  const abort = new AbortController();
  target.answer(() => abort.abort(new Error('stop')));
  await expect(send(target.url, 5000, abort.signal)).rejects.toThrow('stop');
});

test('a certificate that nobody vouches for is refused, before the token is sent', async () => {
  let requests = 0;
  const server = createServer({ key: KEY, cert: CERTIFICATE }, (_request, response) => {
    requests++;
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { message } = await failure(send(`https://127.0.0.1:${(server.address() as AddressInfo).port}`));
  server.close();
  expect([message, requests]).toEqual(['no connection (DEPTH_ZERO_SELF_SIGNED_CERT)', 0]);
});

/** Used by this test alone. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgtNNuIG1MzM5rEjnB
WS3uIQb7KDMdDIBopYnaKFVW4BOhRANCAASl4bONrO2+y3o2CUEnZGXf/plZrZq3
BACNmqZ5NgjLRrQOWMoZ0AEUxaOCpWd5ARzvy0UWjNI9UwW67qxLQKmK
-----END PRIVATE KEY-----`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBjzCCATagAwIBAgIUcFR0GQI2Q3T/A8EM/+P+gBhOZPYwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEyMjE2MTQ1OFoYDzIxMjYxMDI5
MTYxNDU4WjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASl4bONrO2+y3o2CUEnZGXf/plZrZq3BACNmqZ5NgjLRrQOWMoZ0AEU
xaOCpWd5ARzvy0UWjNI9UwW67qxLQKmKo2QwYjAdBgNVHQ4EFgQUBaLxDT80eGJp
qXnpbk6fa/TMBQgwHwYDVR0jBBgwFoAUBaLxDT80eGJpqXnpbk6fa/TMBQgwDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0cAMEQC
IDc8WuYRyeEr6njIHa2Qb/0qjbcskE/XgL1HuhgAg3HwAiAtXDEEm+4lhmT/fFbt
CPkLUe8i7RNLUQjcDakmgXeN8g==
-----END CERTIFICATE-----`;
