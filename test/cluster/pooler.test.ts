import { afterAll, beforeAll, expect, it } from 'vitest';
import { usePgBouncer } from '../postgres/pgbouncer.ts';
import { spawnService } from '../process/service-process.ts';
import { describeOnBoth, type Installation, newInstallation } from './nodes.ts';

describeOnBoth('a service behind PgBouncer with transaction pooling', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await newInstallation();
  });
  afterAll(() => installation.close());
  const pooler = usePgBouncer(() => installation.databaseUrl, 'transaction');

  it('does not start, and says what to set', async () => {
    const service = spawnService({ ...installation.environment, DATABASE_URL: pooler.url });
    expect(await service.exited).toMatchObject({ code: 1 });
    expect(service.stderr()).toMatch(/PgBouncer with transaction pooling.*DATABASE_SESSION_URL/s);
    expect(service.stdout() + service.stderr()).not.toContain(new URL(pooler.url).password);
  });

  it('starts with an address past it', async () => {
    const past = { DATABASE_URL: pooler.url, DATABASE_SESSION_URL: installation.databaseUrl };
    const node = await installation.start(past);
    expect(await node.metric('darkroom_cluster_connected')).toBe(1);
  });
});
