import { randomUUID } from 'node:crypto';

/** In lower case, as Node gives the names of headers. */
export const REQUEST_ID_HEADER = 'x-request-id';

/** The id of a request: the one that its client or a proxy sent, if it has a good form; else a new one. */
export type IdentifyRequest = (brought: string | undefined) => string;

const GOOD = /^[\w.-]{1,64}$/;
const NUMBER_LENGTH = 12;

/** Makes unique ids in the form of a UUID. Each cached picture needs one, so only the start is random, and requests are numbered. */
export function createRequestIds(): IdentifyRequest {
  const prefix = randomUUID().slice(0, -NUMBER_LENGTH);
  let given = 0;
  return (brought) => {
    if (brought !== undefined && GOOD.test(brought)) return brought;
    return prefix + (++given).toString(16).padStart(NUMBER_LENGTH, '0');
  };
}
