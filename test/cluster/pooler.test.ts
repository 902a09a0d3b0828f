import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tryConfig } from '../../src/check-config.ts';
import { readConfig } from '../../src/config.ts';
import { usePgBouncer } from '../postgres/pgbouncer.ts';
import { spawnService } from '../process/service-process.ts';
import { describeOnBoth, type Installation, newInstallation } from './nodes.ts';

describeOnBoth('a service behind PgBouncer with transaction pooling', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await newInstallation();
  });
  let data: string;
  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), 'darkroom-check-'));
  });
  afterAll(async () => {
    await installation.close();
    await rm(data, { recursive: true });
  });
  const pooler = usePgBouncer(() => installation.databaseUrl, 'transaction');

  it('does not start, and says what to set', async () => {
    const service = spawnService({ ...installation.environment, DATABASE_URL: pooler.url, DATA_DIR: data });
    expect(await service.exited).toMatchObject({ code: 1 });
    expect(service.stderr()).toMatch(/transaction pooling, such as PgBouncer.*DATABASE_SESSION_URL/s);
    expect(service.stdout() + service.stderr()).not.toContain(new URL(pooler.url).password);
  });

  it('is told the same by --check-config=deep', async () => {
    const found = async (settings: Record<string, string>) => {
      const config = readConfig({ ...installation.environment, DATA_DIR: data, PORT: '0', ...settings });
      return (await tryConfig(config)).find(({ what }) => what === 'nodes');
    };
    const past = { DATABASE_URL: pooler.url, DATABASE_SESSION_URL: installation.databaseUrl };
    expect(await found({ DATABASE_URL: pooler.url })).toMatchObject({
      isGood: false,
      text: expect.stringContaining('DATABASE_SESSION_URL'),
    });
    expect(await found(past)).toEqual({ what: 'nodes', isGood: true, text: 'can work together through PostgreSQL' });
    expect(await found({ DATABASE_URL: '' })).toBeUndefined();
  });

  it('starts with an address past it', async () => {
    const past = { DATABASE_URL: pooler.url, DATABASE_SESSION_URL: installation.databaseUrl };
    const node = await installation.start(past);
    expect(await node.metric('darkroom_cluster_connected')).toBe(1);
  });
});
