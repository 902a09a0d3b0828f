/** A client with an API key or a session, or the service itself. Limits of clients do not apply to it. */
export const TRUSTED = Symbol('trusted');

/**
 * Client that work is charged to: the network of its address, or `TRUSTED`. Trust is explicit, never the absence of a
 * client.
 */
export type Client = string | typeof TRUSTED;

/** One slot or byte in ten is reserved for trusted clients. */
const SLOTS_PER_RESERVED = 10;

/** Slots of a queue that anonymous clients cannot take: a tenth, rounded up. */
export function reservedPlaces(maxQueued: number): number {
  return Math.ceil(maxQueued / SLOTS_PER_RESERVED);
}

/** Slots of a queue for all anonymous clients together: the others, at least one. */
export function anonymousPlaces(maxQueued: number, reserved = reservedPlaces(maxQueued)): number {
  return Math.max(1, maxQueued - reserved);
}

/**
 * Bytes for all anonymous clients together. A tenth is reserved, or one file of a trusted client if that is more; a
 * file of an anonymous client always fits.
 */
export function anonymousBytes(max: number, fileBytes = 0): number {
  const reserved = Math.max(reservedPlaces(max), Math.min(fileBytes, max - fileBytes));
  return max - reserved;
}

/** Smallest total limit that leaves this many bytes to anonymous clients. */
export function bytesWithReserve(anonymous: number): number {
  return anonymous + Math.ceil(anonymous / (SLOTS_PER_RESERVED - 1));
}
