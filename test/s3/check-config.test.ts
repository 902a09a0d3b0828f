import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tryConfig } from '../../src/check-config.ts';
import { readConfig } from '../../src/config.ts';
import { describeOnS3, environmentOf, newBucket } from './bucket.ts';

describeOnS3('--check-config=deep on a bucket', () => {
  test('reads and writes it; without the bucket it says that there is none', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'darkroom-check-'));
    const settings = await newBucket();
    const environment = { ...environmentOf(settings), DATA_DIR: folder, PORT: '0', HOST: '127.0.0.1' };
    const bucketFound = async (given: Record<string, string>) =>
      (await tryConfig(readConfig(given))).find(({ what }) => what === 'bucket');
    expect(await bucketFound(environment)).toMatchObject({
      isGood: true,
      text: `"${settings.bucket}" can be read and written`,
    });
    expect(await bucketFound({ ...environment, STORAGE_BUCKET_NAME: 'nobodys-bucket' })).toMatchObject({
      isGood: false,
      text: expect.stringContaining('STORAGE_BUCKET_NAME'),
    });
    expect(await readdir(folder)).toEqual([]);
    await rm(folder, { recursive: true });
  });
});
