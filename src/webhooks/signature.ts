import { createHmac, randomBytes } from 'node:crypto';

/** Of the form that Standard Webhooks gives to symmetric secrets. */
const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export const newSecret = () => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/**
 * The headers by which a receiver knows that a request is ours and new.
 * @param id of the delivery
 * @param at milliseconds since 1970, of this attempt
 * @param secrets one, or while a new one is being introduced two
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
