import { once } from 'node:events';
import { readConfig } from '../../src/config.ts';
import { createApp } from '../../src/http/app.ts';
import { createHasBytes } from '../../src/library/existing.ts';
import { Library } from '../../src/library/library.ts';
import { createLog } from '../../src/log.ts';
import { createServices } from '../../src/services.ts';
import { readsOf } from '../../src/storage/blob-store.ts';
import { announceChanges } from '../../src/storage/change-reports.ts';
import { createDiskStore } from '../../src/storage/disk/store.ts';
import { CachedOriginals } from '../../src/storage/originals.ts';

/**
 * The service, but uploads change the store without the catalog: no intent, row or folder fingerprint. Receiving,
 * checks, locks, durable writes and notifications are those of the service.
 */
const config = readConfig();
const log = createLog(config.log);
const services = await createServices(config, log);
const disk = await createDiskStore({ root: config.data.originals, temp: config.data.temp });
const store = { ...readsOf(disk), ...announceChanges(disk, services.changes.original) };
const library = new Library({
  originals: new CachedOriginals(store, { checkMs: config.cache.originalCheckMs }),
  variants: services.variants,
  jobs: services.queue,
  changes: services.changes,
  lock: services.cluster.lock,
  versions: services.versions,
  hasBytes: createHasBytes(store, services.catalog),
  log,
});
const app = createApp({ ...services, uploading: { ...services.uploading, library } });
await app.ready();
app.server.listen({ port: config.http.port, host: config.http.host });
await once(app.server, 'listening');
const address = app.server.address();
log.info(
  `The service without its catalog is ready at http://localhost:${typeof address === 'object' && address?.port}`,
);
process.once('SIGTERM', () => process.exit());
