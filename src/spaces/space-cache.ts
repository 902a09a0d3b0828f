import { LRUCache } from 'lru-cache';
import type { SpaceRegistry } from './registry.ts';
import type { RequestSpace } from './rules.ts';
import type { Space } from './space.ts';

export interface SpaceCacheOptions<T> {
  registry: Pick<SpaceRegistry, 'find' | 'onChange'>;
  /** @throws what `of` then throws; the next call opens again */
  open(within: RequestSpace): T;
  /** Called once for each opened value that is no longer kept. */
  close?(opened: T): void;
}

/** Maximum number of spaces, by entrance, that stay open: 0.14 MB each. */
const MAX_OPEN = 200;

/** Opens something for a space on demand, and closes it when the space changes or others need the capacity. */
export function createSpaceCache<T extends object>({ registry, open, close }: SpaceCacheOptions<T>) {
  const kept = new LRUCache<string, { space: Space; opened: T }>({
    max: MAX_OPEN,
    ...(close && { dispose: ({ opened }) => close(opened) }),
  });
  const unsubscribe = registry.onChange(() => {
    for (const [key, { space }] of kept.entries()) if (registry.find(space.id) !== space) kept.delete(key);
  });
  return {
    of(within: RequestSpace): T {
      const { space, entrance } = within;
      const key = `${entrance} ${space.id}`;
      const known = kept.get(key);
      if (known?.space === space) return known.opened;
      const opened = open(within);
      kept.set(key, { space, opened });
      return opened;
    },
    close(): void {
      unsubscribe();
      kept.clear();
    },
  };
}
