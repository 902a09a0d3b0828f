import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { Leaked } from './forger.ts';

/** The address that the stranger has, and nobody else. */
export const STRANGER = '127.0.0.2';

/** The service under attack, and what has come of it so far. */
export interface Target {
  port: number;
  signal: AbortSignal;
  /** How often the service answered with a status; 0 counts connections that it refused or cut. */
  answers: Map<number, number>;
  /** Signatures that others were given. */
  leaked: readonly Leaked[];
  /** What the service took and may not take, for people. */
  accepted: string[];
}

export interface Sent {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer | AsyncIterable<Buffer>;
}

/** Sends one request from the stranger's address, reads its answer to the end and counts it. Never fails. @returns its status, or 0 */
export async function send(target: Target, { method = 'GET', path, headers = {}, body }: Sent): Promise<number> {
  const { port, signal, answers } = target;
  const status = await new Promise<number>((resolve) => {
    const options = { host: '127.0.0.1', port, method, path, headers, localAddress: STRANGER, signal, agent: false };
    const request = httpRequest(options, (response) => {
      response.on('error', () => resolve(0)).on('end', () => resolve(response.statusCode ?? 0));
      response.resume();
    });
    request.on('error', () => resolve(0)).on('close', () => resolve(0));
    if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) request.end(body);
    else pipeline(body, request).catch(() => resolve(0));
  });
  answers.set(status, (answers.get(status) ?? 0) + 1);
  return status;
}

/** A bare connection from the stranger's address. It never fails: one that is refused is closed. */
export function open({ port, signal }: Target): Socket {
  const socket = connect({ host: '127.0.0.1', port, localAddress: STRANGER });
  const end = () => void socket.destroy();
  signal.addEventListener('abort', end, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', end));
  return socket.on('error', () => undefined);
}

/** Writes when the other end takes it; false once the connection is closed. */
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

/** Repeats an act in several lines at once until the attack is over, and at most so often. */
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

/** Waits for a time, or for the end of the attack. */
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
