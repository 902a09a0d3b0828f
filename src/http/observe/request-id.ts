import { randomBytes } from 'node:crypto';

/** In lower case, as Node reports the names of headers. */
export const REQUEST_ID_HEADER = 'x-request-id';

/** Returns the id of a request: the one that its client or a proxy sent, if it is valid; else a new one. */
export type IdentifyRequest = (brought: string | undefined) => string;

const GOOD = /^[\w.-]{1,64}$/;
/** Enough that no two processes of an installation ever have the same. */
const PREFIX_BYTES = 6;

/**
 * Creates unique ids, such as `Xq3v_9aK-51`. Each cached image needs one and its line in the log repeats it, so they
 * are short; only the start is random, and requests are numbered.
 */
export function createRequestIds(): IdentifyRequest {
  const prefix = randomBytes(PREFIX_BYTES).toString('base64url');
  let count = 0;
  return (brought) => {
    if (brought !== undefined && GOOD.test(brought)) return brought;
    count++;
    return `${prefix}-${count}`;
  };
}
