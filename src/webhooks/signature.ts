import { createHmac, randomBytes } from 'node:crypto';

/** Prefix of symmetric secrets in Standard Webhooks. */
const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export const newSecret = () => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/**
 * Creates the headers by which a receiver verifies that a request is authentic and recent.
 * @param id of the delivery
 * @param at time of this attempt, in Unix ms
 * @param secrets one, or two during a rotation
 */
export function signedHeaders(id: string, at: number, body: string, secrets: readonly string[]) {
  const timestamp = String(Math.floor(at / 1000));
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => sign(secret, `${id}.${timestamp}.${body}`)).join(' '),
  };
}

function sign(secret: string, text: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
}
