import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type BucketSettings, createBucket } from '../../src/storage/s3/bucket.ts';
import { checkBucket } from '../../src/storage/s3/check-bucket.ts';
import { deleteObject } from '../../src/storage/s3/delete.ts';
import { listObjects } from '../../src/storage/s3/list.ts';
import { hasEtag } from '../../src/storage/s3/stat.ts';
import { MEBIBYTE, path, pieces, put, putAll, read, text, walked } from '../contracts/blob-store/steps.ts';
import { describeOnS3, newBucket, newS3Store, type TestStore } from './bucket.ts';
import { type Fault, type S3Proxy, startProxy } from './proxy.ts';

let settings: BucketSettings;
let proxy: S3Proxy;
/** Reaches the store through the proxy; the other node connects directly. */
let current: TestStore;
let other: TestStore;
const store = () => current.store;

/** Holds one request until the other node has completed its work. */
function meanwhile(pattern: RegExp, work: () => Promise<unknown>): void {
  proxy.fault = (request) => {
    if (!pattern.test(request)) return undefined;
    proxy.fault = undefined;
    return { delayUntil: work() };
  };
}

/**
 * Deletes like a store that checks the versions of a delete.
 * @param before runs before the first
 */
function deletingConditionally(before: () => Promise<unknown> = async () => undefined): Fault {
  return {
    async answer(body) {
      await before();
      let results = '';
      for (const [, object = ''] of body.matchAll(/<Object>(.*?)<\/Object>/gs)) {
        const [, key = ''] = /<Key>(.*?)<\/Key>/.exec(object) ?? [];
        const [, etag = ''] = /<ETag>(?:&quot;|")?(.*?)(?:&quot;|")?<\/ETag>/.exec(object) ?? [];
        if (await hasEtag(other.bucket, key, etag)) await deleteObject(other.bucket, key);
        else results += `<Error><Key>${key}</Key><Code>PreconditionFailed</Code><Message>no</Message></Error>`;
      }
      return `<DeleteResult>${results}</DeleteResult>`;
    },
  };
}

describeOnS3('what another machine stores while something is moved', () => {
  beforeEach(async () => {
    settings = await newBucket();
    proxy = await startProxy(settings.endpoint ?? '');
    current = await newS3Store({ ...settings, endpoint: proxy.endpoint });
    other = await newS3Store(settings);
  });
  afterEach(async () => {
    await Promise.all([current.close(), other.close()]);
    await proxy.close();
  });

  test('in the place of a file that was copied stays, and so does what is new', async () => {
    await putAll(store(), ['a/1', 'a/2', 'a/3']);
    meanwhile(/^PUT originals\/b\/3/, async () => {
      // The first one has been copied by then.
      await vi.waitUntil(() => other.store.stat(path('b/1')), { timeout: 30_000 });
      await put(other.store, 'a/1', 'theirs');
      await put(other.store, 'a/4', 'new');
    });
    await store().moveFolder(path('a'), path('b'));
    expect(await walked(other.store, '')).toEqual(['a/1', 'a/4', 'b/1', 'b/2', 'b/3']);
    expect(await Promise.all(['a/1', 'a/4', 'b/1'].map((name) => text(other.store, name)))).toEqual([
      'theirs',
      'new',
      'a/1',
    ]);
  });

  test('in the place of a file before it was copied stays', async () => {
    await putAll(store(), ['a/1', 'a/2']);
    meanwhile(/^PUT originals\/b\/1/, () => put(other.store, 'a/1', 'theirs'));
    // If the store checks the version of a copy's source, the move fails.
    await store()
      .moveFolder(path('a'), path('b'))
      .catch(() => undefined);
    expect(await text(other.store, 'a/1')).toBe('theirs');
  });

  test('over a copy stays when the move fails', async () => {
    await putAll(store(), ['a/1', 'a/2']);
    proxy.fault = (request) => {
      if (!/^PUT originals\/b\/2/.test(request)) return undefined;
      proxy.fault = (again) =>
        /^PUT originals\/b\/2/.test(again) ? { status: 500, code: 'InternalError' } : undefined;
      const replaced = vi
        .waitUntil(() => other.store.stat(path('b/1')), { timeout: 30_000 })
        .then(() => put(other.store, 'b/1', 'theirs'));
      return { delayUntil: replaced.then(() => deleteObject(other.bucket, 'originals/a/2')) };
    };
    await expect(store().moveFolder(path('a'), path('b'))).rejects.toThrow();
    expect(await text(other.store, 'b/1')).toBe('theirs');
    expect(await text(other.store, 'a/1')).toBe('a/1');
  });

  test('in the place of a single file stays', async () => {
    await put(store(), 'a', 'mine');
    // The copy exists by then.
    meanwhile(/^HEAD originals\/b$/, async () => {
      meanwhile(/^HEAD originals\/b$/, () => put(other.store, 'a', 'theirs'));
    });
    await store().move(path('a'), path('b'), { existing: 'keep' });
    expect([await text(other.store, 'a'), await text(other.store, 'b')]).toEqual(['theirs', 'mine']);
  });

  test('in the last moment stays where the store heeds the versions of a delete', async () => {
    const careful = await newS3Store({ ...settings, endpoint: proxy.endpoint }, false, true);
    await putAll(store(), ['a/1', 'a/2']);
    const fault = deletingConditionally(() => put(other.store, 'a/1', 'theirs'));
    proxy.fault = (request) => (request === 'DELETE-MANY' ? fault : undefined);
    await careful.store.moveFolder(path('a'), path('b'));
    expect(await walked(other.store, '')).toEqual(['a/1', 'b/1', 'b/2']);
    expect(await text(other.store, 'a/1')).toBe('theirs');
    await careful.close();
  });
});

describeOnS3('a move in a bucket', () => {
  test('leaves nothing of files in parts, whose copies have another ETag', async () => {
    const { store, close } = await newS3Store();
    const bytes = Buffer.alloc(20 * MEBIBYTE, 'x');
    await store.write(path('a/large'), pieces(bytes));
    await store.moveFolder(path('a'), path('b'));
    expect(await walked(store, '')).toEqual(['b/large']);
    expect((await read(store, 'b/large')).equals(bytes)).toBe(true);
    await store.move(path('b/large'), path('c'));
    expect(await walked(store, '')).toEqual(['c']);
    await close();
  });

  test('knows at the start whether the store heeds the versions of a delete, and leaves no trace of the question', async () => {
    settings = await newBucket();
    proxy = await startProxy(settings.endpoint ?? '');
    other = await newS3Store(settings);
    const bucket = createBucket({ ...settings, endpoint: proxy.endpoint });
    expect(await checkBucket(bucket)).toMatchObject({ hasDeleteConditions: false });
    proxy.fault = (request) => (request === 'DELETE-MANY' ? deletingConditionally() : undefined);
    expect(await checkBucket(bucket)).toMatchObject({ hasConditions: true, hasDeleteConditions: true });
    proxy.fault = (request) => (request === 'DELETE-MANY' ? { status: 400, code: 'MalformedXML' } : undefined);
    expect(await checkBucket(bucket)).toMatchObject({ hasDeleteConditions: false });
    const keys: string[] = [];
    for await (const { key } of listObjects(bucket, '')) keys.push(key);
    expect(keys).toEqual(['.darkroom']);
    bucket.close();
    await other.close();
    await proxy.close();
  });
});
