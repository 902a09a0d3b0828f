import type { Server } from 'node:http';
import type { JobEventData } from '../../src/jobs/events.ts';
import type { NewJob } from '../../src/jobs/job.ts';
import type { StoragePath } from '../../src/path.ts';
import type { LibraryServices } from '../../src/services.ts';
import { createRoot, type Root } from '../../src/spaces/rooted/root.ts';
import { spacePath } from '../../src/spaces/rules.ts';
import type { Space } from '../../src/spaces/space.ts';
import { prefixRequests } from './prefixed.ts';

/** The id of the space of tests that run again in one, and its folder. */
export const SUITE = 'suite';

/** Hosts that tests name. */
const HOSTS = ['127.0.0.1', 'localhost', 'x'];

/**
 * Creates the space of the tests, and has all requests enter it.
 * @param entrance `host` or `prefix`
 * @returns the services that its requests meet
 */
export async function enterSuite(library: LibraryServices, server: Server, entrance: string): Promise<LibraryServices> {
  const { spaces, spaceManager, database, sync } = library;
  const isByHost = entrance === 'host';
  if (!spaces.find(SUITE)) await spaceManager.create({ id: SUITE, hosts: isByHost ? HOSTS : [], rules: {} });
  // Before the first comparison has ended, the files of a space are not compared with the catalog.
  await sync.reconciliation.settled();
  // Tests sign with the secret of the installation.
  const { secret } = library.config.auth;
  if (secret !== undefined) {
    await database.db.updateTable('space').set({ secret }).where('id', '=', SUITE).execute();
    await spaceManager.load();
  }
  const space = spaces.find(SUITE) as Space;
  if (!isByHost) prefixRequests(server, spacePath(space));
  const own = library.openSpace({ space, entrance: isByHost ? 'host' : 'prefix' });
  return { ...library, ...own, ...withWork(library, own, createRoot(space.folder)) } as LibraryServices;
}

/** The parts of services that tests use like a worker, of which the space has less. */
function withWork(library: LibraryServices, own: ReturnType<LibraryServices['openSpace']>, root: Root): object {
  const { queue, events, catalog, resumable, keyring, webhooks } = library;
  return {
    // Resumable uploads are swept, and keys opened, for all spaces together.
    resumable,
    keyring,
    webhooks,
    queue: {
      ...own.queue,
      claim: queue.claim.bind(queue),
      fail: queue.fail.bind(queue),
      renew: queue.renew.bind(queue),
      complete: queue.complete.bind(queue),
      async enqueue(job: NewJob) {
        const [added] = await own.queue.enqueueAll([job]);
        if (!added || 'problem' in added) throw added?.problem;
        return added;
      },
    },
    events: {
      ...own.events,
      publish: (event: JobEventData) => events.publish(outerEvent(event, root)),
    },
    catalog: {
      ...own.catalog,
      descriptions: catalog.descriptions,
      folders: {
        ...own.catalog.folders,
        find: (path: StoragePath) => catalog.folders.find(root.toOuter(path)),
      },
    },
  };
}

function outerEvent(event: JobEventData, { toOuter }: Root): JobEventData {
  const data = 'filePath' in event.data ? { ...event.data, filePath: toOuter(event.data.filePath) } : event.data;
  return { ...event, data, space: SUITE } as JobEventData;
}
