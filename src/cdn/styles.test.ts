import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type PurgeTarget, startPurgeTarget } from '../../test/purge-target.ts';
import { sendRequest } from '../outbox/outgoing-request.ts';
import { type Purge, STYLES } from './styles.ts';

const PURGE: Purge = { paths: ['products/shoe.jpg', 'team'], tags: ['c2a7d2a8b5a1f001', '0123456789abcdef'] };
const TOKEN = 'token-0123456789';

let target: PurgeTarget;
beforeAll(async () => {
  target = await startPurgeTarget();
});
beforeEach(() => {
  target.received.length = 0;
});
afterAll(() => target.close());

/** Returns the request that a server receives, without the headers that every request has. */
async function received(style: keyof typeof STYLES, path: string, token?: string) {
  const request = STYLES[style].request(PURGE, { url: target.url + path, token });
  await sendRequest(request, { secrets: [], signal: new AbortController().signal });
  const [found] = target.received;
  const own = ['authorization', 'fastly-key', 'xkey-purge', 'content-type'];
  const headers = Object.fromEntries(Object.entries(found?.headers ?? {}).filter(([name]) => own.includes(name)));
  return { method: found?.method, path: found?.path, headers, body: found?.body };
}

describe('a CDN is told', () => {
  test('generic: what has changed, by tags and by paths', async () => {
    expect(await received('generic', '/hooks/purge?site=1', TOKEN)).toEqual({
      method: 'POST',
      path: '/hooks/purge?site=1',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: '{"tags":["c2a7d2a8b5a1f001","0123456789abcdef"],"paths":["products/shoe.jpg","team"]}',
    });
  });

  test('cloudflare: the tags, at the address of the zone', async () => {
    expect(
      await received('cloudflare', '/client/v4/zones/023e105f4ecef8ad9ca31a8372d0c353/purge_cache', TOKEN),
    ).toEqual({
      method: 'POST',
      path: '/client/v4/zones/023e105f4ecef8ad9ca31a8372d0c353/purge_cache',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: '{"tags":["c2a7d2a8b5a1f001","0123456789abcdef"]}',
    });
  });

  test('fastly: the surrogate keys, at the address of the service', async () => {
    expect(await received('fastly', '/service/SU1Z0isxPaozGVKXdv0eY/purge', TOKEN)).toEqual({
      method: 'POST',
      path: '/service/SU1Z0isxPaozGVKXdv0eY/purge',
      headers: { 'fastly-key': TOKEN, 'content-type': 'application/json' },
      body: '{"surrogate_keys":["c2a7d2a8b5a1f001","0123456789abcdef"]}',
    });
  });

  test('varnish: PURGE with the keys in a header', async () => {
    expect(await received('varnish', '/', TOKEN)).toEqual({
      method: 'PURGE',
      path: '/',
      headers: { 'xkey-purge': 'c2a7d2a8b5a1f001 0123456789abcdef', authorization: `Bearer ${TOKEN}` },
      body: '',
    });
  });

  test.each(['generic', 'cloudflare', 'fastly', 'varnish'] as const)(
    '%s: without a token, none is sent',
    async (style) => {
      const { headers } = await received(style, '/');
      expect(headers).not.toHaveProperty('authorization');
      expect(headers).not.toHaveProperty('fastly-key');
    },
  );
});

test('Cloudflare says in the answer whether it was done', () => {
  const { isDone } = STYLES.cloudflare;
  expect(
    isDone?.('{"success":true,"errors":[],"messages":[],"result":{"id":"023e105f4ecef8ad9ca31a8372d0c353"}}'),
  ).toBe(true);
  for (const answer of ['{"success":false,"errors":[{"code":1000}]}', '<html>', '', 'null']) {
    expect(isDone?.(answer)).toBe(false);
  }
});

test('as many tags as Varnish gets at once fit into its header of 8 KB', () => {
  const tags = Array<string>(STYLES.varnish.maxTags).fill('0123456789abcdef');
  const { headers } = STYLES.varnish.request({ tags, paths: [] }, { url: '', token: undefined });
  expect(`xkey-purge: ${headers['xkey-purge']}`.length).toBeLessThan(8192);
});
