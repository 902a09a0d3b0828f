import { createHmac } from 'node:crypto';
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** The service's secret. */
export const SECRET = 'a-secret-of-the-operator';

/**
 * Presigns uploads into a folder for five minutes, as a page does for every visitor.
 * @returns the fields of the form
 */
export function presign(folder: string): { folder: string; expires: string; signature: string } {
  const expires = String(Math.floor(Date.now() / 1000) + 300);
  const signature = createHmac('sha256', SECRET).update(`${folder}:${expires}`).digest('hex');
  return { folder, expires, signature };
}

/** The address of the attacker only. */
export const STRANGER = '127.0.0.2';

/** A signed text and its purpose. */
export interface Leaked {
  purpose: Purpose;
  /** The whole signed text. */
  text: string;
  signature: string;
}

export type Purpose = 'delivery' | 'expiring delivery' | 'upload';

/** The service under attack, and the results so far. */
export interface Target {
  port: number;
  signal: AbortSignal;
  /** Number of responses by status; 0 counts rejected and broken connections. */
  answers: Map<number, number>;
  /** Signatures issued to other clients. */
  leaked: readonly Leaked[];
  /** Requests that the service wrongly accepted, for humans. */
  accepted: string[];
}

export interface Sent {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer | AsyncIterable<Buffer>;
  /** The source address: the attacker's by default. */
  from?: string;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
}

/**
 * Sends one request, reads its response to the end and counts it. Never rejects.
 * @returns status 0 without a response
 */
export async function send(target: Target, sent: Sent): Promise<Answer> {
  const { method = 'GET', path, headers = {}, body, from: localAddress = STRANGER } = sent;
  const { port, signal, answers } = target;
  const answer = await new Promise<IncomingMessage | undefined>((resolve) => {
    const options = { host: '127.0.0.1', port, method, path, headers, localAddress, signal, agent: false };
    const failed = () => resolve(undefined);
    const request = httpRequest(options, (response) => {
      response.on('error', failed).on('end', () => resolve(response));
      response.resume();
    });
    request.on('error', failed).on('close', failed);
    if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) request.end(body);
    else pipeline(body, request).catch(failed);
  });
  const status = answer?.statusCode ?? 0;
  answers.set(status, (answers.get(status) ?? 0) + 1);
  return { status, headers: answer?.headers ?? {} };
}

/** Opens a raw connection from the attacker's address. It never fails: a rejected one is closed. */
export function open({ port, signal }: Target): Socket {
  const socket = connect({ host: '127.0.0.1', port, localAddress: STRANGER });
  const end = () => void socket.destroy();
  signal.addEventListener('abort', end, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', end));
  return socket.on('error', () => undefined);
}

/** Writes when the peer accepts data; false once the connection is closed. */
export function write(socket: Socket, bytes: string | Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    if (socket.destroyed) return resolve(false);
    const closed = () => resolve(false);
    socket.once('close', closed);
    socket.write(bytes, () => {
      socket.off('close', closed);
      resolve(!socket.destroyed);
    });
  });
}

/** Repeats an action concurrently until the attack ends, at a limited rate. */
export async function repeat(
  { signal }: Target,
  { lines, times }: { lines: number; times: number },
  act: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const line = async () => {
    while (!signal.aborted && next < times) await act(next++);
  };
  await Promise.all(Array.from({ length: lines }, line));
}

/** Waits for a time in ms, or for the end of the attack. */
export function pause({ signal }: Target, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}
