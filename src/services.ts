import type { Config } from './config.ts';
import { type Assembled, assemble, openServices, type Services } from './library-services.ts';
import type { Log } from './log.ts';
import { openSpaceServices } from './space-services.ts';
import type { RequestSpace } from './spaces/rules.ts';
import { createSpaceCache } from './spaces/space-cache.ts';

/** All services of this process: those of the library, and those that spaces share. */
export interface LibraryServices extends Assembled {
  /** Returns the services of a space, which are opened again when the space has changed. */
  openSpace(within: RequestSpace): Services;
}

/**
 * Assembles the service. Only this file and `rendering.ts` know the implementation of each contract. Those of the
 * cluster and of the storage are chosen in their modules, because commands of the operator need them too.
 */
export async function createServices(settings: Config, log: Log): Promise<LibraryServices> {
  const opened = await openServices(settings, log);
  const assembled = assemble(opened);
  // Requests and work of a space meet the same services.
  const { of: openSpace } = createSpaceCache<Services>({
    registry: opened.spaces,
    open: (within) => openSpaceServices(assembled, opened, within),
  });
  opened.spaceWork.connect(openSpace);
  return { ...assembled, openSpace };
}
