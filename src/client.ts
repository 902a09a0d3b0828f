/** A client with an API key or a session, and the service itself. No limit of a client applies to it. */
export const TRUSTED = Symbol('trusted');

/**
 * The client that work is charged to: the network of its address, or `TRUSTED`. Trust is never the absence of a client, so that a
 * caller has to say it.
 */
export type Client = string | typeof TRUSTED;

/** One place or byte in so many is reserved for trusted clients. */
const PLACES_PER_RESERVED = 10;

/** Places of a queue that anonymous clients cannot take: a tenth, rounded up. */
export function reservedPlaces(maxQueued: number): number {
  return Math.ceil(maxQueued / PLACES_PER_RESERVED);
}

/** Places of a queue that all anonymous clients have together: the others, at least one. */
export function anonymousPlaces(maxQueued: number, reserved = reservedPlaces(maxQueued)): number {
  return Math.max(1, maxQueued - reserved);
}

/**
 * Bytes that all anonymous clients have together. A tenth is reserved as well, or one file of a trusted client if that is more; but a
 * file of an anonymous client always fits.
 */
export function anonymousBytes(max: number, fileBytes = 0): number {
  const reserved = Math.max(reservedPlaces(max), Math.min(fileBytes, max - fileBytes));
  return max - reserved;
}

/** The smallest limit that leaves so many bytes to anonymous clients. */
export function bytesWithReserve(anonymous: number): number {
  return anonymous + Math.ceil(anonymous / (PLACES_PER_RESERVED - 1));
}
