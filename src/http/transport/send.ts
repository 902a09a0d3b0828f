import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ByteRange, ByteStream } from '../../storage/blob-store.ts';
import { ANY_ORIGIN } from '../admission/cors.ts';
import { countBody } from '../observe/sent-bytes.ts';
import { evaluateConditions } from './conditional.ts';
import { securityHeadersOf } from './security-headers.ts';

/** A file in terms of HTTP. */
export interface Representation {
  size: number;
  /** Strong, with its quotes. */
  etag: string;
  /** Undefined for data that changes while its original does not. */
  modifiedAt: Date | undefined;
  /** The bytes in memory, or a function that streams all or a range of them. */
  body: Buffer | ((range: ByteRange | undefined, signal: AbortSignal) => Promise<ByteStream>);
  /** `Content-Type`, `Cache-Control` and similar. */
  headers: Readonly<Record<string, string>>;
  /** True if reading it requires a key or a session: then pages of other sites must not read it. */
  isGuarded?: boolean;
}

/**
 * Answers a GET or HEAD with a representation: conditional requests, ranges and HEAD as in RFC 9110. It writes to the
 * raw response; when the client leaves, the source is destroyed.
 * @throws HttpProblem 412 and 416, and the errors of opening the body, as long as no byte has been sent
 */
export async function send(request: IncomingMessage, response: ServerResponse, file: Representation): Promise<void> {
  const requested = evaluateConditions(request, file);
  if (requested === 'not modified') return sendNotModified(response, file);
  const range = requested === 'whole' ? undefined : requested;
  const headers = headersOf(file);
  headers['Content-Length'] = String(range ? range.end - range.start + 1 : file.size);
  if (range) headers['Content-Range'] = `bytes ${range.start}-${range.end}/${file.size}`;
  const status = range ? 206 : 200;
  if (request.method === 'HEAD') return end(response, status, headers);
  if (Buffer.isBuffer(file.body)) {
    begin(response, status, headers);
    const bytes = range ? file.body.subarray(range.start, range.end + 1) : file.body;
    countBody(response, bytes.length);
    response.end(bytes);
    return;
  }
  await stream(response, status, headers, file.body, range);
}

/** Answers 304 without reading the file. */
export function sendNotModified(response: ServerResponse, file: Omit<Representation, 'size' | 'body'>): void {
  end(response, 304, headersOf(file));
}

/** A signal that aborts when the client leaves before the response is complete. */
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
  constructor(options?: ErrorOptions) {
    super('The client left before it had its answer.', options);
  }
}

async function stream(
  response: ServerResponse,
  status: number,
  headers: Record<string, string>,
  open: Exclude<Representation['body'], Buffer>,
  range: ByteRange | undefined,
): Promise<void> {
  const signal = leavingSignal(response);
  const source = await open(range, signal);
  begin(response, status, headers);
  try {
    await pump(source, response, Number(headers['Content-Length']), signal);
    response.end();
  } catch {
    // Too late for another response: a cut connection shows the client that the body is incomplete.
    response.destroy();
  }
}

/**
 * Sends exactly `length` bytes, each chunk after the previous one has left.
 * @throws when another program shortens or lengthens the file meanwhile, which would corrupt the next response of the
 * connection
 */
async function pump(source: ByteStream, response: ServerResponse, length: number, signal: AbortSignal): Promise<void> {
  let left = length;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    left -= chunk.length;
    if (left < 0) break;
    await write(response, chunk, signal);
    countBody(response, chunk.length);
    source.recycle?.(chunk);
  }
  if (left !== 0) throw new Error('The file changed while it was sent.');
}

/** Resolves when the chunk has left this process. */
function write(response: ServerResponse, chunk: Buffer, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) return leave();
    signal.addEventListener('abort', leave, { once: true });
    response.write(chunk, (error) => {
      signal.removeEventListener('abort', leave);
      if (error) reject(error);
      else resolve();
    });
  });
}

/** Writes the head. The server has already set the headers of all responses, of which media omit one. */
function begin(response: ServerResponse, status: number, headers: Record<string, string>): void {
  if (!('Referrer-Policy' in headers)) response.removeHeader('Referrer-Policy');
  response.writeHead(status, headers);
}

function end(response: ServerResponse, status: number, headers: Record<string, string>): void {
  begin(response, status, headers);
  response.end();
}

/** The headers of every response with this representation, without the length. */
export function headersOf(file: Omit<Representation, 'size' | 'body'>): Record<string, string> {
  return {
    ...file.headers,
    ETag: file.etag,
    ...(file.modifiedAt && { 'Last-Modified': file.modifiedAt.toUTCString() }),
    'Accept-Ranges': 'bytes',
    ...(file.isGuarded ? {} : ANY_ORIGIN),
    ...securityHeadersOf(file.headers['Content-Type']),
  };
}
