import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger, FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  badRequest,
  conflict,
  ERRORS,
  type ErrorCode,
  HttpProblem,
  isShortage,
  notFound,
  payloadTooLarge,
  unavailable,
} from '../errors.ts';
import { http } from '../runtime/node-http.ts';
import { BlobConflict, BlobExists, BlobNotFound, StorageUnavailable } from '../storage/blob-store.ts';
import { isBeingAnswered } from './transport/pipelining.ts';
import { ALWAYS } from './transport/security-headers.ts';
import { ClientLeft } from './transport/send.ts';

/** Transient failures of a storage are mostly over by then. */
const RETRY_STORAGE_SECONDS = 5;
/** A full disk mostly stays full until the operator frees space. */
const RETRY_SHORTAGE_SECONDS = 30;

/** The code of the only error of Fastify about requests that is not about their bodies. */
const BAD_URL = 'FST_ERR_BAD_URL';

/** The `code` of an error, for schemas. */
export const errorCode = z
  .enum(Object.keys(ERRORS) as ErrorCode[])
  .meta({ id: 'ErrorCode', description: 'What went wrong, as a word for programs.' });

/**
 * Renders any thrown value in the common format of JSON errors, `{error, message, code}`. A fault is logged in full,
 * and its response reveals no internals. A 503 that is no fault is one line without a stack, a 507 none.
 */
export function renderProblem(error: unknown, log: FastifyBaseLogger) {
  const problem = toProblem(error);
  const { cause, code, isFault, message } = problem;
  if (isFault && !(cause instanceof ClientLeft)) log.error({ err: error }, 'request failed');
  // A full space is a matter of its clients, like a 4xx.
  if (!isFault && problem.status >= 500 && code !== 'quota_exceeded')
    log.warn({ code, reason: message }, 'request refused');
  return renderRefusal(problem);
}

/** Renders a problem that is known to be the client's. */
export function renderRefusal(problem: HttpProblem) {
  const { status, headers, label, message, code, details } = problem;
  const retryAfter = status === 429 ? Number(headers['Retry-After']) : 0;
  return {
    status,
    headers: { ...headers, 'Cache-Control': 'no-store', ...ALWAYS },
    body: { error: label, message, code, ...(details && { details }), ...(retryAfter > 0 && { retryAfter }) },
  };
}

const codes = new WeakMap<ServerResponse, ErrorCode>();

/** Records for `problemOf` which error a response reports. */
export function noteProblem(response: ServerResponse, code: ErrorCode): void {
  codes.set(response, code);
}

/** The error that a response reported, if any. */
export function problemOf(response: ServerResponse): ErrorCode | undefined {
  return codes.get(response);
}

/** Answers on a response that Fastify has handed over; a response that has begun can only be cut. */
export function sendProblem(response: ServerResponse, error: unknown, log: FastifyBaseLogger): void {
  const isDisconnected = error instanceof ClientLeft || response.destroyed;
  if (isDisconnected || response.headersSent) {
    if (!isDisconnected) log.error({ err: error }, 'response cut short');
    response.destroy();
    return;
  }
  const { status, headers, body } = renderProblem(error, log);
  noteProblem(response, body.code);
  sendJson(response, status, headers, body);
}

/**
 * Wraps a handler that writes to the raw response: bytes are sent without a copy, and the framework adds nothing, to
 * errors neither.
 */
export function raw(answer: (request: FastifyRequest, reply: FastifyReply) => Promise<void>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    reply.hijack();
    try {
      await answer(request, reply);
    } catch (error) {
      sendProblem(reply.raw, error, request.log);
    }
    return reply;
  };
}

/** The headers and the text of the response to a problem that is known to be the client's. */
export function refusalOnWire(problem: HttpProblem): { headers: Record<string, string>; text: string } {
  const { headers, body } = renderRefusal(problem);
  return toWire(headers, body);
}

/** Sends JSON that must not be cached on a response that Fastify has handed over. */
export function sendJson(response: ServerResponse, status: number, extra: Record<string, string>, body: object): void {
  const { headers, text } = toWire(extra, body);
  response.writeHead(status, headers);
  response.end(response.req.method === 'HEAD' ? undefined : text);
}

/**
 * Answers bytes that are no HTTP request, or a request whose headers are too long or too slow, and ends the connection.
 */
export function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  // A client is not late while its connection is paused because it has not taken an earlier response.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.isPaused()) return;
  // Text in the middle would corrupt the response to an earlier request.
  if (socket.writable && error.code !== 'ECONNRESET' && !isBeingAnswered(socket)) {
    const { status, headers: extra, body } = renderRefusal(toRefusal(error.code));
    const { headers, text } = toWire(extra, body);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(
      `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${lines.join('')}Connection: close\r\n\r\n${text}`,
    );
  }
  socket.destroy(error);
}

function toRefusal(code: string | undefined): HttpProblem {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new HttpProblem('headers_too_large', 'The request line and the headers are too long.');
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new HttpProblem('request_timeout', 'The request took too long.');
  return badRequest('The request is not valid HTTP.');
}

/** The headers and the text of a JSON response that must not be cached. */
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
  if (error instanceof BlobNotFound) return notFound(error.message, 'file_not_found', 'Not found');
  if (error instanceof BlobExists || error instanceof BlobConflict) {
    return conflict(error.message, 'name_taken');
  }
  if (error instanceof StorageUnavailable) {
    const message = 'The storage cannot be reached at the moment.';
    return unavailable(message, 'storage_unavailable', RETRY_STORAGE_SECONDS, error);
  }
  if (isFrameworkRefusal(error)) {
    if (error.statusCode === 413) return payloadTooLarge(error.message);
    return badRequest(error.message, error.code === BAD_URL ? 'invalid_encoding' : 'malformed_body');
  }
  if (isShortage(error)) {
    const message = 'The server is short of disk space or memory at the moment.';
    return unavailable(message, 'out_of_resources', RETRY_SHORTAGE_SECONDS, error);
  }
  return new HttpProblem('internal_error', 'The request could not be completed.', { cause: error });
}

/** True for Fastify's own 4xx: malformed JSON, wrong content type, a body that is too large, a bad URL. */
function isFrameworkRefusal(error: unknown): error is FastifyError & { statusCode: number } {
  if (!(error instanceof Error) || !('statusCode' in error)) return false;
  const { statusCode } = error;
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
}
