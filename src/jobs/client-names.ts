import { createHmac } from 'node:crypto';

/**
 * Makes the function that names a client in the database: the same network always has the same name, and whoever reads the
 * name without the secret learns nothing of the network.
 */
export function createClientNames(secret: string): (network: string) => string {
  return (network) => createHmac('sha256', secret).update(`job client ${network}`).digest('base64url').slice(0, 22);
}
