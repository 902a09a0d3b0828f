import { createHmac } from 'node:crypto';

/**
 * Makes the function that names a client in the database. A network always has the same name, and nobody can tell the network
 * from the name without the key.
 */
export function createClientNames(key: string | Buffer): (network: string) => string {
  return (network) => createHmac('sha256', key).update(network).digest('base64url').slice(0, 22);
}
