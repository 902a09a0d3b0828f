import { createHmac } from 'node:crypto';

/**
 * Makes the function that names a client in the database. A network always has the same name, and nobody can tell the network
 * from the name without the secret.
 */
export function createClientNames(secret: string): (network: string) => string {
  return (network) => createHmac('sha256', secret).update(`job client ${network}`).digest('base64url').slice(0, 22);
}
