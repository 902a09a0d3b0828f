import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ByteRange } from '../storage/blob-store.ts';
import { evaluateConditions } from './conditional.ts';

/** A file as HTTP knows it. */
export interface Representation {
  size: number;
  /** Strong, with its quotes. */
  etag: string;
  modifiedAt: Date;
  /** The bytes at hand, or a way to stream them or a part of them. */
  body: Buffer | ((range: ByteRange | undefined, signal: AbortSignal) => Promise<Readable>);
  /** `Content-Type`, `Cache-Control` and the like. */
  headers: Readonly<Record<string, string>>;
}

/**
 * Answers a GET or HEAD with a representation: conditional requests, ranges and HEAD as RFC 9110 has them. It writes to the
 * raw response; when the client leaves, the source is destroyed.
 * @throws HttpProblem 412 and 416, and what opening the body throws, as long as no byte has been sent
 */
export async function send(request: IncomingMessage, response: ServerResponse, file: Representation): Promise<void> {
  const wanted = evaluateConditions(request, file);
  if (wanted === 'not modified') return sendNotModified(response, file);
  const range = wanted === 'whole' ? undefined : wanted;
  const headers = headersOf(file);
  headers['Content-Length'] = String(range ? range.end - range.start + 1 : file.size);
  if (range) headers['Content-Range'] = `bytes ${range.start}-${range.end}/${file.size}`;
  const status = range ? 206 : 200;
  if (request.method === 'HEAD') return end(response, status, headers);
  if (Buffer.isBuffer(file.body)) {
    response.writeHead(status, headers);
    response.end(range ? file.body.subarray(range.start, range.end + 1) : file.body);
    return;
  }
  await stream(response, status, headers, file.body, range);
}

/** Answers that the client has the file already, without looking at it. */
export function sendNotModified(response: ServerResponse, file: Omit<Representation, 'size' | 'body'>): void {
  end(response, 304, headersOf(file));
}

/** A signal that aborts when the client leaves before it has its answer. */
export function leavingSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  if (response.destroyed) controller.abort(new ClientLeft());
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new ClientLeft());
  });
  return controller.signal;
}

export class ClientLeft extends Error {
  override name = 'ClientLeft';
  constructor() {
    super('The client left before it had its answer.');
  }
}

async function stream(
  response: ServerResponse,
  status: number,
  headers: Record<string, string>,
  open: Exclude<Representation['body'], Buffer>,
  range: ByteRange | undefined,
): Promise<void> {
  const length = Number(headers['Content-Length']);
  const source = await open(range, leavingSignal(response));
  response.writeHead(status, headers);
  try {
    await pipeline(source, (chunks: AsyncIterable<Buffer>) => exactly(length, chunks), response);
  } catch {
    // Too late for another answer: cutting the connection is how the client learns that the body is not whole.
    response.destroy();
  }
}

/** A file that another program shortens or lengthens meanwhile may not spoil the answer after this one. */
async function* exactly(length: number, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let left = length;
  for await (const chunk of chunks) {
    left -= chunk.length;
    if (left < 0) break;
    yield chunk;
  }
  if (left !== 0) throw new Error('The file changed while it was sent.');
}

function end(response: ServerResponse, status: number, headers: Record<string, string>): void {
  response.writeHead(status, headers);
  response.end();
}

/** The headers of every answer with this representation, but for the length. */
export function headersOf(file: Omit<Representation, 'size' | 'body'>): Record<string, string> {
  return {
    ...file.headers,
    ETag: file.etag,
    'Last-Modified': file.modifiedAt.toUTCString(),
    'Accept-Ranges': 'bytes',
    'X-Content-Type-Options': 'nosniff',
  };
}
