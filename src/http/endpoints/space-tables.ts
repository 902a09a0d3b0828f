import type { Services } from '../../library-services.ts';
import type { SpaceRegistry } from '../../spaces/registry.ts';
import type { RequestSpace } from '../../spaces/rules.ts';
import { createSpaceCache } from '../../spaces/space-cache.ts';
import type { Endpoint } from './endpoint.ts';
import { assertSameEndpoints, createRouteTable, type RouteTable } from './route-table.ts';

export interface SpaceTablesOptions {
  registry: SpaceRegistry;
  /** Opens the services of a space. */
  open(within: RequestSpace): Services;
  /** The endpoints of the library. */
  library: readonly Endpoint[];
  /** Creates all endpoints on a set of services, in the order of those of the library. */
  createEndpoints(services: Services, within: RequestSpace): readonly Endpoint[];
}

/** The endpoints of spaces, opened on demand. */
export function createSpaceTables({ registry, library, open, createEndpoints }: SpaceTablesOptions) {
  return createSpaceCache<RouteTable>({
    registry,
    /** @throws Error if the endpoints of the space differ from those of the library */
    open(within) {
      const services = open(within);
      const endpoints = createEndpoints(services, within);
      try {
        assertSameEndpoints(library, endpoints);
      } catch (error) {
        close({ endpoints });
        throw error;
      }
      return createRouteTable(endpoints, services);
    },
    close,
  });
}

/** Ends long-lived responses. Their clients connect again. */
function close({ endpoints }: Pick<RouteTable, 'endpoints'>): void {
  for (const endpoint of endpoints) endpoint.close?.();
}
