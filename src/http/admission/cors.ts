import type { IncomingMessage } from 'node:http';

type Headers = Readonly<Record<string, string>>;

/** Request headers that pages may send. The second line is for tus. */
const ACCEPTED = [
  ...['Authorization', 'X-Api-Key', 'Content-Type', 'Range', 'If-Match', 'If-None-Match', 'If-Modified-Since'],
  ...['Tus-Resumable', 'Upload-Length', 'Upload-Metadata', 'Upload-Offset', 'X-HTTP-Method-Override', 'X-Request-Id'],
].join(', ');

/** Pages of every site may read public responses and all their headers. Browsers send no credentials along. */
export const ANY_ORIGIN: Headers = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': '*',
};

export type Cors = ReturnType<typeof createCors>;

/**
 * Creates the headers by which browsers let pages of other sites read a response. Browsers may never send credentials
 * along: a session is for the service's own pages, others send a key.
 * @param origins the sites whose pages may use the endpoints that need a key; `*` is any
 * @param methods the methods of the endpoints
 */
export function createCors(origins: readonly string[], methods: readonly string[]) {
  return {
    /** @param isOpen true for an endpoint whose responses all sites may read */
    headersFor(isOpen: boolean, origin: string | undefined): Headers {
      if (isOpen || origins.includes('*')) return ANY_ORIGIN;
      if (origins.length === 0) return {};
      if (origin === undefined || !origins.includes(origin)) return { Vary: 'Origin' };
      return { ...ANY_ORIGIN, 'Access-Control-Allow-Origin': origin, Vary: 'Origin' };
    },
    /** The headers of the response to a preflight request that is allowed. */
    preflight: {
      'Access-Control-Allow-Methods': methods.join(', '),
      'Access-Control-Allow-Headers': ACCEPTED,
      'Access-Control-Max-Age': '7200',
      'Content-Length': '0',
    },
  };
}

/** True for the request that a browser sends before one of a page of another site. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}
