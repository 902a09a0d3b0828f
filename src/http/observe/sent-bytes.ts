import type { Server } from 'node:http';
import type { Socket } from 'node:net';

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
