import type { Services } from '../../library-services.ts';
import { type Guard, guardOf } from '../admission/guards.ts';
import type { Endpoint } from './endpoint.ts';

/** The endpoints of one set of services. */
export interface RouteTable {
  endpoints: readonly Endpoint[];
  /** Their guards, at the same positions. */
  guards: readonly (Guard | undefined)[];
}

export function createRouteTable(endpoints: readonly Endpoint[], services: Services): RouteTable {
  return { endpoints, guards: endpoints.map((endpoint) => guardOf(endpoint, services)) };
}
