import { createHmac } from 'node:crypto';

/**
 * Creates the function that names a client in the database. A network always has the same name, which does not reveal
 * the network without the key.
 */
export function createClientNames(key: string | Buffer): (network: string) => string {
  return (network) => createHmac('sha256', key).update(network).digest('base64url').slice(0, 22);
}

/** Creates the same function with a key that cannot be read yet: it is read for the first name. */
export function createClientNamesOnce(readKey: () => string | Buffer): (network: string) => string {
  let nameOf: ((network: string) => string) | undefined;
  return (network) => {
    nameOf ??= createClientNames(readKey());
    return nameOf(network);
  };
}
