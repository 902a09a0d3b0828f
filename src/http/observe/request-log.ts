import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorCode } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { escapeJson } from '../../runtime/printable.ts';
import { problemOf } from '../problem.ts';
import { completedAt } from '../transport/closing-response.ts';
import { maskedPath } from './masked-url.ts';
import type { Metrics } from './metrics.ts';
import { REQUEST_ID_HEADER } from './request-id.ts';

/** The status of a request that was never answered, because the client left first, as in nginx. */
const CLIENT_LEFT = 499;

/** The end of a response. */
export interface AnswerResult {
  /** The error that it reported. */
  code: ErrorCode | undefined;
  /** Its family of endpoints. */
  family: string;
}

export interface RequestLog {
  /**
   * Logs a GET that was answered from memory immediately: 200, or 304.
   * @param id letters that need no escape
   * @param url as from `loggedUrl`
   */
  logFastPath(status: number, id: string, url: string): void;
  /** Counts a variant that the fast path has read from the disk. */
  countDiskHit(): void;
  /** Logs the response when it has been sent, or cut short. */
  watch(request: IncomingMessage, response: ServerResponse): void;
}

/**
 * Logs one structured line for each request, or only for those that end in an error (status 400 and above), and counts
 * all of them in the metrics. URLs are logged without their secrets and their query.
 */
export function createRequestLog({
  log,
  metrics,
  mode,
  onAnswered,
}: {
  log: Log;
  metrics: Metrics;
  mode: 'all' | 'errors';
  /** Called at the end of each response on the normal path. */
  onAnswered?(request: IncomingMessage, response: ServerResponse, result: AnswerResult): void;
}): RequestLog {
  const isEnabled = log.isLevelEnabled('info');
  const logsAll = mode === 'all' && isEnabled;
  const level = log.levels.values.info;
  /** The logger inspects each value of a line, which takes as long as the rest of a cached response. */
  const writeLine = (id: string, method: string, url: string, fields: string) =>
    log.lines.write(
      `{"level":${level},"time":${Date.now()},"reqId":"${id}","method":"${method}","url":${url},${fields},"msg":"request"}\n`,
    );
  return {
    logFastPath(status, id, url) {
      metrics.countFastPathResponse();
      if (logsAll) writeLine(id, 'GET', url, `"status":${status},"cache":"hit"`);
    },
    countDiskHit: () => metrics.countDiskHit(),
    watch(request, response) {
      const start = performance.now();
      response.once('close', () => {
        const { statusCode, headersSent, writableFinished } = response;
        const status = headersSent ? statusCode : CLIENT_LEFT;
        const ms = (completedAt(response) ?? performance.now()) - start;
        const code = problemOf(response);
        const family = metrics.answer(request, status, ms / 1000, code);
        onAnswered?.(request, response, { code, family });
        if (!isEnabled || (!logsAll && status < 400)) return;
        // Valid ids, and the methods that Node's parser knows, need no escape.
        const id = request.headers[REQUEST_ID_HEADER] as string;
        const cut = writableFinished ? '' : ',"cut":true';
        const fields = `"status":${status},"ms":${Math.round(ms)}${cut}`;
        writeLine(id, request.method ?? '', loggedUrl(request), fields);
      });
    },
  };
}

/** The URL of a request as logged, in JSON. */
export function loggedUrl({ url = '' }: Pick<IncomingMessage, 'url'>): string {
  return escapeJson(JSON.stringify(maskedPath(url)));
}
