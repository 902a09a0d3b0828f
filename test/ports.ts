import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Returns the first of several consecutive free ports on loopback, below the ephemeral range, so that no outgoing
 * connection takes them meanwhile.
 */
export async function freePort(count = 1): Promise<number> {
  for (;;) {
    const first = 10_000 + Math.floor(Math.random() * 20_000);
    const all = Array.from({ length: count }, (_, n) => isFree(first + n));
    if ((await Promise.all(all)).every(Boolean)) return first;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const free = Promise.race([
    once(server, 'listening').then(() => true),
    once(server, 'error').then(() => false),
  ]).catch(() => false);
  server.listen(port, '127.0.0.1');
  const answer = await free;
  server.close();
  return answer;
}
