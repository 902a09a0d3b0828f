import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { createProxyCheck, networkOf, plainAddress } from '../admission/client-address.ts';

export interface ConnectionLimits {
  /** Maximum of connections of one client. */
  maxPerAddress: number;
  /** Networks without the limit: a proxy serves many clients. */
  trustedProxies: readonly string[];
}

/** Returns the connections of the client of a connection; none for a proxy. */
export type OwnConnections = (socket: Socket) => ReadonlySet<Socket>;

const NONE: ReadonlySet<Socket> = new Set();

/**
 * Prevents a client from occupying all connections. When it exceeds its share, its oldest connection that has sent
 * nothing yet is closed; if there is none, the new one.
 * @returns the connections that it counts
 */
export function limitConnections(server: Server, { maxPerAddress, trustedProxies }: ConnectionLimits): OwnConnections {
  const held = new Map<string, Set<Socket>>();
  const isProxy = createProxyCheck(trustedProxies);
  server.on('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '');
    if (isProxy(address)) return;
    const client = networkOf(address);
    const own = held.get(client) ?? new Set();
    if (own.size >= maxPerAddress && !closeSilent(own)) {
      socket.destroy();
      return;
    }
    own.add(socket);
    held.set(client, own);
    socket.once('close', () => {
      own.delete(socket);
      if (own.size === 0) held.delete(client);
    });
  });
  return ({ remoteAddress = '' }) => held.get(networkOf(plainAddress(remoteAddress))) ?? NONE;
}

/** Closes the oldest connection that has sent nothing; false when there is none. */
function closeSilent(own: Set<Socket>): boolean {
  for (const socket of own) {
    if (socket.bytesRead > 0) continue;
    own.delete(socket);
    socket.destroy();
    return true;
  }
  return false;
}
