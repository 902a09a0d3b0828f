import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CatalogStore } from '../../src/catalog/catalog-store.ts';
import { createSqlCatalog } from '../../src/catalog/sql/catalog.ts';
import { TrashRecovery } from '../../src/catalog/trash-recovery.ts';
import { TrashService } from '../../src/catalog/trash-service.ts';
import { createLocalPathLock } from '../../src/cluster/local.ts';
import { openDatabase } from '../../src/db/open.ts';
import type { OpenDatabase } from '../../src/db/schema.ts';
import { StorageUnavailable } from '../../src/storage/blob-store.ts';
import type { RetentionStore } from '../../src/storage/retention-store.ts';
import { S3RetentionStore } from '../../src/storage/s3/retention-store.ts';
import { S3Store } from '../../src/storage/s3/store.ts';
import { path, put, text as textAt } from '../contracts/blob-store/steps.ts';
import { describeOnS3, newBucket, newS3Store, type TestStore } from './bucket.ts';
import { type S3Proxy, startProxy } from './proxy.ts';

const FILE = path('a.txt');

describeOnS3('a deletion into the trash whose request the store carries out later', () => {
  let folder: string;
  let database: OpenDatabase;
  let catalog: CatalogStore;
  let proxy: S3Proxy;
  let impatient: TestStore;
  let direct: TestStore;
  let retention: RetentionStore;
  let recovery: TrashRecovery;
  let trash: TrashService;
  let unfinished: string[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ambiguous-deletes-'));
    database = await openDatabase({ file: join(folder, 'darkroom.db') });
    catalog = createSqlCatalog(database);
    const settings = await newBucket();
    proxy = await startProxy(settings.endpoint ?? '');
    direct = await newS3Store(settings);
    impatient = await newS3Store({ ...settings, endpoint: proxy.endpoint, timeoutMs: 1000 });
    const { store, bucket } = impatient;
    if (!(store instanceof S3Store)) throw new Error('Expected a store on a bucket.');
    const conditions = { hasConditions: true, hasPartConditions: false, hasDeleteConditions: false };
    retention = new S3RetentionStore(bucket, store.area, conditions);
    const lock = createLocalPathLock();
    recovery = new TrashRecovery({ catalog, retention, moves: retention, store, lock, keepMs: 1000 });
    unfinished = [];
    const onUnfinished = (id: string) => unfinished.push(id);
    trash = new TrashService({ catalog, retention, recovery, node: 'here', onUnfinished });
    await put(direct.store, FILE, 'bytes');
    await catalog.files.put([{ ...(await store.stat(FILE)), path: FILE } as never]);
  });
  afterEach(async () => {
    await impatient.close();
    await direct.close();
    await proxy.close();
    await database.close();
    await rm(folder, { recursive: true });
  });

  test('never loses the file', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    proxy.fault = (request) => (request === `DELETE originals/${FILE}` ? { delayUntil: promise } : undefined);
    await expect(trash.keep(FILE, randomUUID())).rejects.toThrow(StorageUnavailable);
    resolve();
    await expect.poll(() => direct.store.stat(FILE)).toBeUndefined();
    proxy.fault = undefined;
    const [intent] = await catalog.intents.list();
    expect(unfinished).toEqual([intent?.id]);
    if (intent) await expect.poll(() => recovery.table.trash(intent).then(() => 'recovered', String)).toBe('recovered');
    const [item] = await catalog.trash.page(2);
    expect([await catalog.intents.list(), item?.path]).toEqual([[], FILE]);
    expect(await text(await retention.open(item?.id ?? ''))).toBe('bytes');
  });

  test('succeeds when another request completes it', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let isFirst = true;
    proxy.fault = (request) => {
      if (request !== `DELETE originals/${FILE}` || !isFirst) return undefined;
      isFirst = false;
      return { delayUntil: promise };
    };
    const { id } = await trash.keep(FILE, randomUUID());
    expect([await catalog.intents.list(), unfinished, await direct.store.stat(FILE)]).toEqual([[], [], undefined]);
    resolve();
    expect(await text(await retention.open(id))).toBe('bytes');
  });

  test('leaves a file that was uploaded since', async () => {
    proxy.fault = (request) => (request === `DELETE originals/${FILE}` ? 'silence' : undefined);
    await expect(trash.keep(FILE, randomUUID())).rejects.toThrow(StorageUnavailable);
    proxy.fault = undefined;
    await put(direct.store, FILE, 'other bytes');
    const [intent] = await catalog.intents.list();
    if (intent) await expect.poll(() => recovery.table.trash(intent).then(() => 'recovered', String)).toBe('recovered');
    const [item] = await catalog.trash.page(2);
    expect([await textAt(direct.store, FILE), await text(await retention.open(item?.id ?? ''))]).toEqual([
      'other bytes',
      'bytes',
    ]);
  });
});
