import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ROOT } from '../../src/path.ts';
import type { BucketSettings } from '../../src/storage/s3/bucket.ts';
import { freeNames } from '../contracts/blob-store/free-names.ts';
import { naming } from '../contracts/blob-store/names.ts';
import { path, put, putAll, text, walked } from '../contracts/blob-store/steps.ts';
import { describeOnS3, newBucket, newS3Store, type TestStore } from './bucket.ts';
import { type S3Proxy, startProxy } from './proxy.ts';

const XML_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
};

/** Returns the listing of a store without support for `encoding-type`, such as versitygw. */
function withoutEncoding(body: string): string {
  if (!body.includes('<EncodingType>url</EncodingType>')) return body;
  return body
    .replace('<EncodingType>url</EncodingType>', '')
    .replaceAll(/<(Key|CommonPrefixes><Prefix)>([^<]*)</g, (_, element, encoded) => {
      const plain = decodeURIComponent(encoded.replaceAll('&apos;', "'").replaceAll('+', ' '));
      return `<${element}>${plain.replaceAll(/[&<>"'\t\n\r]/g, (character) => XML_ESCAPES[character] ?? '')}<`;
    });
}

const FILES = ['a+b.jpg', '100%.jpg', '%41.jpg', 'a%2Bb.jpg', 'a+b/100%/x+y.jpg', 'a+b/%2F.jpg', '50%/c d.jpg'].sort();

describe.each([
  { kind: 'honours', rewrite: (body: string) => body },
  { kind: 'ignores', rewrite: withoutEncoding },
])('a store that $kind encoding-type', ({ rewrite }) => {
  describeOnS3('names in its listings', () => {
    let settings: BucketSettings;
    let proxy: S3Proxy;
    let current: TestStore;
    const store = () => current.store;
    beforeEach(async () => {
      settings = await newBucket();
      proxy = await startProxy(settings.endpoint ?? '');
      proxy.fault = (request) => (request.startsWith('LIST ') ? { rewrite } : undefined);
      current = await newS3Store({ ...settings, endpoint: proxy.endpoint });
    });
    afterEach(async () => {
      await current.close();
      await proxy.close();
    });

    naming(store);
    freeNames(store);

    test('lists names with plus and percent signs as they are', async () => {
      await putAll(store(), FILES);
      expect(await walked(store(), '')).toEqual(FILES);
      const { folders, files } = await store().list(ROOT);
      expect(folders).toEqual(['50%', 'a+b']);
      for (const file of files) expect(await store().stat(file.path)).toMatchObject({ etag: file.etag });
      expect(await store().folders()).toEqual(['50%', 'a+b', 'a+b/100%']);
    });

    test('moves and removes whole folders with such names', async () => {
      await putAll(store(), FILES);
      await store().moveFolder(path('a+b'), path('c%d'));
      expect(await text(store(), 'c%d/100%/x+y.jpg')).toBe('a+b/100%/x+y.jpg');
      expect(await store().removeFolder(path('c%d'))).toBe(true);
      expect(await store().removeFolder(path('50%'))).toBe(true);
      const direct = await newS3Store(settings);
      expect(await walked(direct.store, '')).toEqual(FILES.filter((file) => !file.includes('/')));
      expect(await direct.store.folders()).toEqual([]);
      await direct.close();
    });

    test.each(['line\nbreak', 'tab\there', 'carriage\rreturn'])('a name may hold %j', async (name) => {
      await put(store(), `folder/${name}`, name);
      expect(await walked(store(), '')).toEqual([`folder/${name}`]);
      expect(await store().removeFolder(path('folder'))).toBe(true);
      expect(await walked(store(), '')).toEqual([]);
    });
  });
});

describeOnS3('a listing with a key that no path can name', () => {
  test('shows the other keys when one is not UTF-8', async () => {
    const settings = await newBucket();
    const proxy = await startProxy(settings.endpoint ?? '');
    const { store, bucket, close } = await newS3Store({ ...settings, endpoint: proxy.endpoint });
    for (const name of ['broken.jpg', 'whole.jpg']) {
      await bucket.request(new PutObjectCommand({ Bucket: bucket.name, Key: `originals/${name}`, Body: name }));
    }
    const rewrite = (body: string) => body.replace('broken', '%FF');
    proxy.fault = (request) => (request.startsWith('LIST ') ? { rewrite } : undefined);
    expect(await walked(store, '')).toEqual(['whole.jpg']);
    await close();
    await proxy.close();
  });
});
