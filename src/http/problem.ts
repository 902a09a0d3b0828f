import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger, FastifyError } from 'fastify';
import { badRequest, HttpProblem, isShortage, unavailable } from '../errors.ts';
import { BlobConflict, BlobExists, BlobNotFound, StorageUnavailable } from '../storage/blob-store.ts';
import { ALWAYS } from './transport/security-headers.ts';
import { ClientLeft } from './transport/send.ts';

/** Outages of a storage that pass by themselves are mostly over by then. */
const RETRY_STORAGE_SECONDS = 5;
/** A full disk mostly stays full until somebody makes room. */
const RETRY_SHORTAGE_SECONDS = 30;

/** A problem as it goes over the wire. */
export interface RenderedProblem {
  status: number;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

/**
 * Turns whatever was thrown into the one shape of JSON errors, `{error, message}`. What is not a problem of the client is
 * logged whole and answered with nothing of its inside.
 */
export function renderProblem(error: unknown, log: FastifyBaseLogger): RenderedProblem {
  const problem = toProblem(error);
  if (problem.status >= 500 && !(problem.cause instanceof ClientLeft)) log.error({ err: error }, 'request failed');
  return renderRefusal(problem);
}

/** The same for what is known to be the client's. */
export function renderRefusal(problem: HttpProblem): RenderedProblem {
  const retryAfter = problem.status === 429 ? Number(problem.headers['Retry-After']) : 0;
  return {
    status: problem.status,
    headers: { ...problem.headers, 'Cache-Control': 'no-store', ...ALWAYS },
    body: { error: problem.label, message: problem.message, ...(retryAfter > 0 && { retryAfter }) },
  };
}

/** Answers on a response that Fastify has given away; a response that has begun can only be cut. */
export function sendProblem(response: ServerResponse, error: unknown, log: FastifyBaseLogger): void {
  if (error instanceof ClientLeft || response.destroyed) {
    response.destroy();
    return;
  }
  if (response.headersSent) {
    log.error({ err: error }, 'response cut short');
    response.destroy();
    return;
  }
  const { status, headers, body } = renderProblem(error, log);
  sendJson(response, status, headers, body);
}

/** Answers JSON that is not to be cached on a response that Fastify has given away. */
export function sendJson(response: ServerResponse, status: number, extra: Record<string, string>, body: object): void {
  const { headers, text } = toWire(extra, body);
  response.writeHead(status, headers);
  response.end(response.req.method === 'HEAD' ? undefined : text);
}

/** Answers what is no HTTP request, or one whose headers are too long or too slow, and ends its connection. */
export function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  // Nobody is late whom we do not read, because an answer before has not been taken.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.isPaused()) return;
  if (socket.writable && error.code !== 'ECONNRESET' && !isBeingAnswered(socket)) {
    const { status, headers: extra, body } = renderRefusal(toRefusal(error.code));
    const { headers, text } = toWire(extra, body);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}Connection: close\r\n\r\n${text}`);
  }
  socket.destroy(error);
}

/** Whether an answer to an earlier request is on its way, which text in its middle would spoil. Node's own way to find out. */
function isBeingAnswered(socket: Socket): boolean {
  const { _httpMessage: answer }: { _httpMessage?: ServerResponse | null } = socket as object;
  return answer?.headersSent ?? false;
}

function toRefusal(code: string | undefined): HttpProblem {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new HttpProblem(431, 'Request header fields too large', 'The request line and the headers are too long.');
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new HttpProblem(408, 'Request timeout', 'The request took too long.');
  return badRequest('The request is not valid HTTP.');
}

/** The headers and the text of a JSON answer that is not to be cached. */
function toWire(extra: Record<string, string>, body: object) {
  const text = JSON.stringify(body);
  const headers: Record<string, string> = {
    ...extra,
    'Cache-Control': 'no-store',
    ...ALWAYS,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(text)),
  };
  return { headers, text };
}

function toProblem(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof BlobNotFound) return new HttpProblem(404, 'Not found', error.message, { cause: error });
  if (error instanceof BlobExists || error instanceof BlobConflict) {
    return new HttpProblem(409, 'Conflict', error.message, { cause: error });
  }
  if (error instanceof StorageUnavailable) {
    return unavailable('The storage cannot be reached at the moment.', RETRY_STORAGE_SECONDS, error);
  }
  if (isFrameworkRefusal(error)) {
    return error.statusCode === 413
      ? new HttpProblem(413, 'Payload too large', error.message)
      : badRequest(error.message, 'Bad request');
  }
  if (isShortage(error)) {
    return unavailable('The server is short of room or memory at the moment.', RETRY_SHORTAGE_SECONDS, error);
  }
  return new HttpProblem(500, 'Internal server error', 'The request could not be completed.', { cause: error });
}

/** Fastify's own 4xx: malformed JSON, wrong content type, a body that is too large, a bad URL. */
function isFrameworkRefusal(error: unknown): error is FastifyError & { statusCode: number } {
  if (!(error instanceof Error) || !('statusCode' in error)) return false;
  const { statusCode } = error;
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
}
