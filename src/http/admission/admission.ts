import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpProblem } from '../../errors.ts';
import { quote } from '../../path.ts';
import { type Cors, isPreflight } from './cors.ts';
import { type Quota, quotaExceeded, type RateLimiter } from './rate-limit.ts';

/** The traits of a route that decide about a request before its guard. They are part of its Fastify config. */
export interface RouteTraits {
  /** True if requests count for the public rate limit. */
  isCounted?: boolean;
  /** True if pages of every site may read the responses. */
  isOpen?: boolean;
  /** False if requests deliver nothing: they count for no limit of a space. By default counted and signed ones deliver. */
  isDelivery?: boolean;
  /** True if a signature in its URLs admits requests. They count for no rate limit, and for the transfer of a space. */
  isSigned?: boolean;
  /** True if it is 403 in a space. */
  isForInstallation?: boolean;
}

declare module 'fastify' {
  interface FastifyContextConfig extends RouteTraits {}
}

export type Admit = (
  request: FastifyRequest,
  reply: FastifyReply,
  traits: RouteTraits,
  done: (error?: Error) => void,
) => void;

/** Node's own pattern for expectations that it answers with 100. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

/**
 * Creates the hook that sets the CORS headers of a response, counts the request for the rate limit and answers
 * preflight requests. The headers go to the raw response, because handlers write to it too.
 */
export function createAdmission(corsOf: (request: FastifyRequest) => Cors, limiter: RateLimiter): Admit {
  return (request, reply, { isCounted = false, isOpen = false }, done) => {
    const { raw } = request;
    const cors = corsOf(request);
    const allowed = cors.headersFor(isOpen, raw.headers.origin);
    for (const [name, value] of Object.entries(allowed)) reply.raw.setHeader(name, value);

    function decide(quota: Quota | undefined): void {
      // No event reports a client that left while its request waited to be counted.
      if (reply.raw.destroyed) return;
      if (quota) setQuota(reply.raw, quota);
      if (quota?.isOver) done(quotaExceeded(quota));
      else if (isUnmet(raw)) done(expectationFailed(raw));
      else if (isPreflight(raw) && 'Access-Control-Allow-Origin' in allowed)
        reply.code(204).headers(cors.preflight).send();
      else done();
    }

    // The browser sends the preflight request, not the visitor.
    const quota = isCounted && raw.method !== 'OPTIONS' ? limiter.count(raw) : undefined;
    if (quota instanceof Promise) quota.then(decide, done);
    else decide(quota);
  };
}

function setQuota(response: ServerResponse, { headers }: Quota): void {
  for (let i = 0; i < headers.length; i += 2) response.setHeader(headers[i] ?? '', headers[i + 1] ?? '');
}

/** True for a request with an expectation that this server does not meet. HTTP/1.0 has no expectations. */
function isUnmet({ headers: { expect }, httpVersion }: IncomingMessage): boolean {
  return expect !== undefined && httpVersion === '1.1' && !CONTINUE.test(expect);
}

function expectationFailed({ headers: { expect = '' } }: IncomingMessage): HttpProblem {
  const message = `Expected "100-continue" or nothing as "Expect", received ${quote(expect)}.`;
  return new HttpProblem('expectation_failed', message);
}
