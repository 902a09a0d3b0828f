import { parseJson } from '../json.ts';
import type { OutgoingRequest } from '../outbox/outgoing-request.ts';

/** Files and folders whose variants a CDN must invalidate, each with its tag. */
export interface Purge {
  paths: readonly string[];
  tags: readonly string[];
}

export interface PurgeAddress {
  url: string;
  token: string | undefined;
}

/** Protocol of a kind of CDN. */
export interface PurgeStyle {
  /** Maximum number of tags in one request. */
  maxTags: number;
  request(purge: Purge, address: PurgeAddress): OutgoingRequest;
  /** True if a response with a status of success reports success; by default it does. */
  isDone?(answer: string): boolean;
}

export const PURGE_STYLES = ['generic', 'cloudflare', 'fastly', 'varnish'] as const;

const JSON_TYPE = { 'Content-Type': 'application/json' };

/**
 * `POST` with `{tags, paths}` to any receiver. A path represents a file, or a folder with its contents; the empty one
 * is everything.
 */
const generic: PurgeStyle = {
  maxTags: 256,
  request: ({ tags, paths }, { url, token }) => ({
    url,
    method: 'POST',
    headers: { ...JSON_TYPE, ...bearer(token) },
    body: JSON.stringify({ tags, paths }),
  }),
};

/**
 * `POST /client/v4/zones/{zone}/purge_cache` with `{tags}`, see
 * https://developers.cloudflare.com/api/resources/cache/methods/purge/.
 * https://developers.cloudflare.com/cache/how-to/purge-cache/ allows 100 tags per request; the limit was 30 for years,
 * and still is where that page does not apply yet. `purge_everything` is not used: it would purge other content of the
 * zone.
 */
const cloudflare: PurgeStyle = {
  maxTags: 30,
  request: ({ tags }, { url, token }) => ({
    url,
    method: 'POST',
    headers: { ...JSON_TYPE, ...bearer(token) },
    body: JSON.stringify({ tags }),
  }),
  isDone: (answer) => (parseJson(answer) as { success?: unknown } | undefined)?.success === true,
};

/**
 * `POST /service/{service}/purge` with up to 256 `surrogate_keys`, see
 * https://www.fastly.com/documentation/reference/api/purging/#bulk-purge-tag.
 */
const fastly: PurgeStyle = {
  maxTags: 256,
  request: ({ tags }, { url, token }) => ({
    url,
    method: 'POST',
    headers: { ...JSON_TYPE, Accept: 'application/json', ...(token !== undefined && { 'Fastly-Key': token }) },
    body: JSON.stringify({ surrogate_keys: tags }),
  }),
};

/**
 * `PURGE` with the tags in the header `xkey-purge`, separated by spaces, for the module xkey, see
 * https://github.com/varnish/varnish-modules/blob/master/src/vmod_xkey.vcc. A header may have 8 KB in Varnish, see
 * https://varnish-cache.org/docs/7.1/reference/varnishd.html#http-req-hdr-len.
 */
const varnish: PurgeStyle = {
  maxTags: 256,
  request: ({ tags }, { url, token }) => ({
    url,
    method: 'PURGE',
    headers: { 'xkey-purge': tags.join(' '), ...bearer(token) },
  }),
};

export const STYLES: Readonly<Record<(typeof PURGE_STYLES)[number], PurgeStyle>> = {
  generic,
  cloudflare,
  fastly,
  varnish,
};

function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { Authorization: `Bearer ${token}` };
}
