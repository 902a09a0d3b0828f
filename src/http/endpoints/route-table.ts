import type { Services } from '../../library-services.ts';
import { type Guard, guardOf } from '../admission/guards.ts';
import type { Endpoint } from './endpoint.ts';

/** The endpoints of one set of services. */
export interface RouteTable {
  endpoints: readonly Endpoint[];
  /** Their guards, at the same positions. */
  guards: readonly (Guard | undefined)[];
}

/** Name of an endpoint: no two have the same. */
const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`;

/**
 * Checks that each endpoint has the same position as in the table of the library. Otherwise another one would answer in
 * a space than the one that the request is for.
 * @throws Error
 */
export function assertSameEndpoints(library: readonly Endpoint[], space: readonly Endpoint[]): void {
  if (library.length !== space.length) {
    throw new Error(`Expected ${library.length} endpoints in a space, received ${space.length}.`);
  }
  for (const [position, endpoint] of library.entries()) {
    const received = nameOf(space[position] as Endpoint);
    const expected = nameOf(endpoint);
    if (received !== expected) {
      throw new Error(`Expected ${expected} at position ${position} in a space, received ${received}.`);
    }
  }
}

export function createRouteTable(endpoints: readonly Endpoint[], services: Services): RouteTable {
  return { endpoints, guards: endpoints.map((endpoint) => guardOf(endpoint, services)) };
}
