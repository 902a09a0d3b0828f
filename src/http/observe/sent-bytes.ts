import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { StoragePath } from '../../path.ts';

/** The files that a response delivers. */
interface SentFile {
  /** The file, or the folder of several; undefined for a choice of files. */
  path: StoragePath | undefined;
  /** Bytes of the body. */
  bytes: number;
}

const sentFiles = new WeakMap<ServerResponse, SentFile>();

/** Notes that a response delivers a file, also if it has no body (304). */
export function noteFile(response: ServerResponse, path: StoragePath | undefined): void {
  sentFiles.set(response, { path, bytes: 0 });
}

/** Counts bytes of the body of a response that delivers a file. */
export function countBody(response: ServerResponse, bytes: number): void {
  const sent = sentFiles.get(response);
  if (sent) sent.bytes += bytes;
}

/** What a response has delivered so far; undefined for one without a file. */
export function sentFileOf(response: ServerResponse): Readonly<SentFile> | undefined {
  return sentFiles.get(response);
}

/**
 * Creates the function that returns the bytes sent over all connections. Sockets count by themselves: no response takes
 * longer.
 */
export function countSentBytes(server: Server): () => number {
  const open = new Set<Socket>();
  let closed = 0;
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      closed += socket.bytesWritten;
    });
  });
  return () => {
    let sum = closed;
    for (const { bytesWritten } of open) sum += bytesWritten;
    return sum;
  };
}
