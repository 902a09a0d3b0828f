import { LRUCache } from 'lru-cache';

/**
 * A cache of at most so many entries: the least recently used ones go first. It takes memory for what is in it. With the library's own
 * `max` it takes memory for all that may come, at once: 3 MB and 9 milliseconds for a hundred thousand entries.
 * @param ttl milliseconds after which an entry is gone
 */
export function boundedCache<K extends string, V extends {}>(entries: number, ttl?: number): LRUCache<K, V> {
  return new LRUCache({ maxSize: entries, sizeCalculation: () => 1, ...(ttl !== undefined && { ttl }) });
}
