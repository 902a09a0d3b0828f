import { LRUCache } from 'lru-cache';
import type { Services } from '../../library-services.ts';
import type { SpaceRegistry } from '../../spaces/registry.ts';
import type { RequestSpace } from '../../spaces/rules.ts';
import type { Space } from '../../spaces/space.ts';
import type { Endpoint } from './endpoint.ts';
import { assertSameEndpoints, createRouteTable, type RouteTable } from './route-table.ts';

/** The endpoints of a space, on services that see nothing outside of it. */
export interface SpaceTable extends RouteTable {
  space: Space;
}

export interface SpaceTablesOptions {
  registry: SpaceRegistry;
  /** Opens the services of a space. */
  open(within: RequestSpace): Services;
  /** The endpoints of the library. */
  library: readonly Endpoint[];
  /** Creates all endpoints on a set of services, in the order of those of the library. */
  createEndpoints(services: Services, within: RequestSpace): readonly Endpoint[];
}

/** Maximum number of spaces whose endpoints stay open: 0.14 MB each. */
const MAX_OPEN = 200;

/** Opens the endpoints of spaces on demand, and closes them when the space changes or others need the capacity. */
export function createSpaceTables({ registry, library, open, createEndpoints }: SpaceTablesOptions) {
  const tables = new LRUCache<string, SpaceTable>({ max: MAX_OPEN, dispose: close });
  const unsubscribe = registry.onChange(() => {
    for (const [key, { space }] of tables.entries()) if (registry.find(space.id) !== space) tables.delete(key);
  });
  return {
    /** @throws Error if the endpoints of the space differ from those of the library */
    of(within: RequestSpace): SpaceTable {
      const { space, entrance } = within;
      const key = `${entrance} ${space.id}`;
      const known = tables.get(key);
      if (known?.space === space) return known;
      const services = open(within);
      const endpoints = createEndpoints(services, within);
      try {
        assertSameEndpoints(library, endpoints);
      } catch (error) {
        close({ endpoints });
        throw error;
      }
      const table = { ...createRouteTable(endpoints, services), space };
      tables.set(key, table);
      return table;
    },
    close(): void {
      unsubscribe();
      tables.clear();
    },
  };
}

/** Ends long-lived responses. Their clients connect again. */
function close({ endpoints }: Pick<SpaceTable, 'endpoints'>): void {
  for (const endpoint of endpoints) endpoint.close?.();
}
