import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { spawnService } from '../process/service-process.ts';
import { COMPILED } from '../processes.ts';
import { describeOnBoth, type Installation, newInstallation } from './nodes.ts';

const ADMIN = new URL('../../src/admin.ts', import.meta.url).pathname;
const PRESETS = 'card=w_20,h_20';

describeOnBoth('a node with other settings than those that run', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await newInstallation();
    await installation.start();
  });
  afterAll(() => installation.close());

  it('does not start, and says which settings differ and not what they are', async () => {
    const folder = `${(await installation.start()).data}/other`;
    const secret = 'a-secret-of-this-node-alone';
    const other = spawnService({ ...installation.environment, DATA_DIR: folder, PRESETS, API_SECRET: secret });
    expect(await other.exited).toEqual({ code: 1, signal: null });
    expect(other.stderr()).toContain('found others than those of the nodes that run: API_SECRET, PRESETS.');
    expect(other.stderr()).not.toContain(secret);
  });

  it('starts when the operator has said that settings change', async () => {
    const { stdout, status } = spawnSync(process.execPath, [ADMIN, 'change-settings'], {
      env: { ...COMPILED, ...installation.environment, PATH: process.env.PATH },
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([0, expect.stringContaining('The next node that starts sets')]);
    const { url } = await installation.start({ PRESETS });
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });
});
