import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EndpointLookup } from '../endpoints/lookup.ts';

type Headers = Readonly<Record<string, string>>;

/** What pages may send. The second line is what tus has. */
const ACCEPTED = [
  ...['Authorization', 'X-Api-Key', 'Content-Type', 'Range', 'If-Match', 'If-None-Match', 'If-Modified-Since'],
  ...['Tus-Resumable', 'Upload-Length', 'Upload-Metadata', 'Upload-Offset', 'X-HTTP-Method-Override', 'X-Request-Id'],
].join(', ');

/** Pages of every site may read public responses and all their headers. Browsers send no credentials along. */
export const ANY_ORIGIN: Headers = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': '*',
};

/**
 * The headers by which browsers let pages of other sites read an answer. Credentials are never among what browsers may send along: a
 * session is for our own pages, others bring a key.
 * @param origins the sites whose pages may use the endpoints that need a key; `*` is any
 */
export function createCors({ classify, methods }: EndpointLookup, origins: readonly string[]) {
  const preflight: Headers = {
    'Access-Control-Allow-Methods': methods.join(', '),
    'Access-Control-Allow-Headers': ACCEPTED,
    'Access-Control-Max-Age': '7200',
    'Content-Length': '0',
  };
  return {
    headersFor({ method = '', url = '', headers: { origin } }: IncomingMessage): Headers {
      if (classify(method, url).isOpen) return ANY_ORIGIN;
      if (origins.includes('*')) return ANY_ORIGIN;
      if (origins.length === 0) return {};
      if (origin === undefined || !origins.includes(origin)) return { Vary: 'Origin' };
      return { ...ANY_ORIGIN, 'Access-Control-Allow-Origin': origin, Vary: 'Origin' };
    },
    /**
     * Answers the question that a browser asks before a request.
     * @param allowed the headers for it
     * @returns false when it is no such question, or the answer is no
     */
    answerPreflight({ method, headers }: IncomingMessage, response: ServerResponse, allowed: Headers): boolean {
      if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false;
      if (allowed['Access-Control-Allow-Origin'] === undefined) return false;
      response.writeHead(204, { ...preflight, ...allowed });
      response.end();
      return true;
    },
  };
}
