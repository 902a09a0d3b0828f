import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../log.ts';
import type { Metrics } from './metrics.ts';

export const REQUEST_ID_HEADER = 'x-request-id';

export interface RequestLog {
  /** A cached variant was sent at once. */
  hot(request: IncomingMessage): void;
  /** Notes the answer when it has been sent, or cut short. */
  watch(request: IncomingMessage, response: ServerResponse): void;
}

/**
 * One structured line for each request, or only for those that end in an error (status 400 and above); and all of them in the
 * metrics. URLs are written without their query, which may hold what is nobody's business.
 */
export function createRequestLog({
  log,
  metrics,
  mode,
}: {
  log: Log;
  metrics: Metrics;
  mode: 'all' | 'errors';
}): RequestLog {
  const logsAll = mode === 'all' && log.isLevelEnabled('info');
  return {
    hot(request) {
      metrics.hotAnswer();
      if (logsAll) log.info({ method: 'GET', url: withoutQuery(request), status: 200, cache: 'hit' }, 'request');
    },
    watch(request, response) {
      const start = performance.now();
      response.once('close', () => {
        const { statusCode: status, writableFinished } = response;
        const ms = performance.now() - start;
        metrics.answer(request.method ?? '', request.url ?? '', status, ms / 1000);
        if (!logsAll && status < 400) return;
        const id = request.headers[REQUEST_ID_HEADER];
        const line = { reqId: id, method: request.method, url: withoutQuery(request), status, ms: Math.round(ms) };
        log.info(writableFinished ? line : { ...line, cut: true }, 'request');
      });
    },
  };
}

function withoutQuery({ url = '' }: IncomingMessage): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}
