import type { IncomingMessage, ServerResponse } from 'node:http';
import { pino } from 'pino';
import type { Log } from '../log.ts';
import type { Metrics } from './metrics.ts';

export const REQUEST_ID_HEADER = 'x-request-id';

export interface RequestLog {
  /** A request was answered from memory at once: 200, or 304. */
  hot(request: IncomingMessage, status: number): void;
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
  // pino looks at each value of a line. Of these, one for each cached picture, only the URL has to be looked at.
  const output = (log as unknown as Record<symbol, { write(line: string): void }>)[pino.symbols.streamSym];
  const level = log.levels.values.info;
  return {
    hot(request, status) {
      metrics.hotAnswer();
      if (!logsAll) return;
      const url = JSON.stringify(withoutQuery(request));
      output?.write(
        `{"level":${level},"time":${Date.now()},"method":"GET","url":${url},"status":${status},"cache":"hit","msg":"request"}\n`,
      );
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
