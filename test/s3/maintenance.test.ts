import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verify } from '../../src/admin/maintenance.ts';
import { readConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/db/open.ts';
import { describeOnS3, environmentOf, newBucket } from './bucket.ts';
import { startProxy } from './proxy.ts';

describeOnS3('a command for the operator on a bucket', () => {
  test('lists the originals, and starts no background work of the service', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'darkroom-maintenance-'));
    const settings = await newBucket();
    const proxy = await startProxy(settings.endpoint ?? '');
    const environment = environmentOf({ ...settings, endpoint: proxy.endpoint });
    const database = await openDatabase({ file: join(folder, 'darkroom.db') });
    await verify(readConfig({ ...environment, DATA_DIR: folder }), database, false);
    expect(proxy.requests).toContain('LIST originals/');
    expect(proxy.requests).not.toContain('LIST variants/');
    expect(proxy.requests).not.toContain('LIST-UPLOADS');
    await database.close();
    await proxy.close();
    await rm(folder, { recursive: true });
  });
});
