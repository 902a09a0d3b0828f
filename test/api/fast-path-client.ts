import { once } from 'node:events';
import http from 'node:http';
import { buffer } from 'node:stream/consumers';
import { vi } from 'vitest';
import { FastPath } from '../../src/http/transport/fast-path.ts';
import { startService, type TestService } from '../service.ts';

/** Headers that differ between responses. */
const CHANGING = ['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

/** Records for every request whether it took the fast path. A spy that exists already is returned. */
const watch = () => vi.spyOn(FastPath.prototype, 'tryAnswer');

/** Returns the result of the fast path for the last request. */
export const lastTry = () => watch().mock.results.at(-1)?.value;

/** Starts a service on which the fast path need not query the store. */
export function startFastPath(environment: Record<string, string> = {}): Promise<TestService> {
  watch();
  return startService({
    ORIGINAL_CHECK_INTERVAL_MS: '60000',
    PUBLIC_RATE_LIMIT_MAX: '1000',
    ...environment,
  });
}

export async function request(
  { url }: TestService,
  path: string,
  headers: http.OutgoingHttpHeaders = {},
  method = 'GET',
) {
  const sent = http.request(url + path, { headers, method }).end();
  const [response] = (await once(sent, 'response')) as [http.IncomingMessage];
  const body = await buffer(response);
  const lines = Array.from({ length: response.rawHeaders.length / 2 }, (_, index) =>
    response.rawHeaders.slice(2 * index, 2 * index + 2),
  );
  return {
    status: response.statusCode,
    message: response.statusMessage,
    headers: response.headers,
    body,
    isFast: lastTry() !== undefined,
    /** All header lines except the changing ones. */
    lines: lines.filter(([name = '']) => !CHANGING.includes(name.toLowerCase())).sort(),
  };
}

/** Returns the figures of requests and variants that are not zero. */
export async function figures(service: TestService): Promise<Record<string, number>> {
  const text = await (await service.authorized('/metrics')).text();
  const lines = text.matchAll(/^(darkroom_(?:requests_total\{family="t"[^}]*\}|variants_total\S*|hot_\S+)) (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, name = '', value]) => [name, Number(value)]));
}
