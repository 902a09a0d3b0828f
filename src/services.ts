import { LRUCache } from 'lru-cache';
import type { Config } from './config.ts';
import { type Assembled, assemble, openServices, type Services } from './library-services.ts';
import type { Log } from './log.ts';
import { openSpaceServices } from './space-services.ts';
import type { RequestSpace } from './spaces/rules.ts';
import type { Space } from './spaces/space.ts';

/** All services of this process: those of the library, and those that spaces share. */
export interface LibraryServices extends Assembled {
  /** Returns the services of a space, which are opened again when the space has changed. */
  openSpace(within: RequestSpace): Services;
}

/** Maximum number of sets of services that stay open: 0.14 MB each. */
const MAX_OPEN = 200;

/**
 * Assembles the service. Only this file and `rendering.ts` know the implementation of each contract. Those of the
 * cluster and of the storage are chosen in their modules, because commands of the operator need them too.
 */
export async function createServices(settings: Config, log: Log): Promise<LibraryServices> {
  const opened = await openServices(settings, log);
  const assembled = assemble(opened);
  const openSpace = reopened((within) => openSpaceServices(assembled, opened, within));
  opened.spaceWork.connect((space) => openSpace({ space, entrance: 'prefix' }));
  return { ...assembled, openSpace };
}

/** Keeps what was opened for the last spaces. Requests and work of a space meet the same services. */
function reopened(open: (within: RequestSpace) => Services): LibraryServices['openSpace'] {
  const sets = new LRUCache<string, { space: Space; services: Services }>({ max: MAX_OPEN });
  return (within) => {
    const { space, entrance } = within;
    const key = `${entrance} ${space.id}`;
    const known = sets.get(key);
    if (known?.space === space) return known.services;
    const services = open(within);
    sets.set(key, { space, services });
    return services;
  };
}
