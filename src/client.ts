/** A client with an API key or a session, and the service itself. No limit of a client applies to it. */
export const TRUSTED = Symbol('trusted');

/**
 * The client that work is charged to: the network of its address, or `TRUSTED`. Trust is never the absence of a client, so that a
 * caller has to say it.
 */
export type Client = string | typeof TRUSTED;
