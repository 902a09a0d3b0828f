import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { readConfig } from '../src/config.ts';
import { createApp } from '../src/http/app.ts';
import type { Routes } from '../src/http/endpoints/endpoint.ts';
import { createLog } from '../src/log.ts';
import { createServices, type LibraryServices } from '../src/services.ts';
import { testDatabaseUrl } from './database.ts';
import { knowPassword } from './known-passwords.ts';
import { createPlanting } from './s3/plant.ts';
import { enterSuite, SUITE } from './spaces/suite-space.ts';

/** A key that every test service accepts; it has all permissions. */
export const TEST_KEY = 'test-key-0123456789-0123456789-0123456789';

export interface TestService {
  /** `http://127.0.0.1:port` */
  url: string;
  /** The data folder, for tests to read and modify. */
  data: string;
  /** The folder of the originals, for tests that write like an administrator. */
  originals: string;
  services: LibraryServices;
  /** Requests with the API key. */
  authorized(path: string, init?: RequestInit): Promise<Response>;
  /** Uploads files given by name and bytes, with the API key or other credentials, into the library or a space. */
  upload(
    files: Record<string, Uint8Array | string>,
    fields?: Record<string, string>,
    to?: { prefix?: string; headers?: Record<string, string> },
  ): Promise<Response>;
  /** Writes a file into the folder of uploads, like an administrator. */
  place(name: string, bytes: Uint8Array | string): Promise<void>;
  /** Returns the names of the cached variants on disk. */
  cachedFiles(): Promise<string[]>;
  close(): Promise<void>;
}

/**
 * Returns the storage settings: a prefix of a bucket for each data folder, if `test/s3` runs the same tests on a
 * bucket.
 */
function storageOf(data: string): Record<string, string> {
  const bucket = process.env.DARKROOM_TEST_BUCKET;
  return bucket === undefined ? {} : { ...JSON.parse(bucket), STORAGE_PREFIX: basename(data) };
}

/**
 * Returns the database settings: a PostgreSQL database for each data folder, if `test/cluster` runs the same tests
 * there.
 */
async function databaseOf(data: string): Promise<Record<string, string>> {
  const url = await testDatabaseUrl(join(data, 'darkroom.db'));
  return url === undefined ? {} : { DATABASE_URL: url };
}

/**
 * Starts the whole service in this process, on a free port and with its own data folder.
 * @param routes its endpoints; all endpoints by default
 */
export async function startService(
  environment: Record<string, string> = {},
  routes?: readonly Routes[],
): Promise<TestService> {
  const data = environment.DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'darkroom-test-')));
  const config = readConfig({
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'silent',
    PUBLIC_RATE_LIMIT_MAX: '0',
    API_KEY: TEST_KEY,
    ...storageOf(data),
    ...(await databaseOf(data)),
    ...environment,
    DATA_DIR: data,
  });
  if (environment.ADMIN_PASSWORD !== undefined) knowPassword(environment.ADMIN_PASSWORD);
  const entrance = process.env.DARKROOM_TEST_ENTRANCE;
  const folder = entrance === undefined ? '' : SUITE;
  const library = await createServices(config, createLog(config.log));
  await library.database.whenAvailable(async () => void (await library.keyring.ensureFirstKey()));
  const app = createApp(library, routes);
  if (process.env.DARKROOM_TEST_BUCKET !== undefined) {
    const plant = createPlanting(data, folder, library);
    await plant();
    app.addHook('onRequest', plant);
  }
  await app.ready();
  app.server.listen(Number(environment.PORT ?? 0), '127.0.0.1');
  await once(app.server, 'listening');
  await library.sync.start();
  const services = entrance === undefined ? library : await enterSuite(library, app.server, entrance);
  const originals = join(data, 'originals', folder);
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const ofKey = { authorization: `Bearer ${TEST_KEY}` };
  const authorized = (path: string, init: RequestInit = {}) =>
    fetch(url + path, { ...init, headers: { ...(init.headers as Record<string, string>), ...ofKey } });
  return {
    url,
    data,
    originals,
    services,
    authorized,
    upload(files, fields = {}, { prefix = '', headers = ofKey } = {}) {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      for (const [name, bytes] of Object.entries(files))
        form.append('files', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
      return fetch(`${url}${prefix}/upload`, { method: 'POST', body: form, headers });
    },
    async place(name, bytes) {
      const file = join(originals, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, bytes);
    },
    async cachedFiles() {
      const entries = await readdir(join(data, 'variants'), { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
    },
    async close() {
      app.server.close();
      app.server.closeAllConnections();
      await app.close();
      await library.close();
      if (!environment.DATA_DIR) await rm(data, { recursive: true, force: true });
    },
  };
}

/** Creates a space without rules, whose folder has its id. */
export async function createSpace({ authorized }: Pick<TestService, 'authorized'>, id: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await authorized('/spaces', { method: 'POST', headers, body: JSON.stringify({ id }) });
  if (response.status !== 200) throw new Error(await response.text());
}
