import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { ask } from '../http.ts';
import { startService } from '../service.ts';
import { FROM_ANYWHERE, signIn } from '../session.ts';

const ADMIN = new URL('../../src/admin.ts', import.meta.url).pathname;

/** Runs the operator's command on a data folder; the new password comes from its standard input. */
async function resetPassword(data: string, input: string): Promise<string> {
  const child = spawn(process.execPath, [ADMIN, 'reset-password'], { env: { DATA_DIR: data } });
  child.stdin.end(input);
  const printed = text(child.stdout);
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
  return printed;
}

test('reset-password sets a password, given or made, and ends every session', async () => {
  const data = await mkdtemp(join(tmpdir(), 'darkroom-admin-'));
  const account = { ADMIN_EMAIL: 'admin@example.com', ADMIN_PASSWORD: 'the first password' };
  const service = await startService({ ...FROM_ANYWHERE, ...account, DATA_DIR: data });
  const cookie = await signIn(service, account);
  const session = () => ask(service.url, '/api/auth/get-session', { headers: { cookie } });
  expect((await session()).json()).toMatchObject({ user: { email: 'admin@example.com' } });

  await resetPassword(data, 'the second password\n');
  expect((await session()).json()).toBeNull();
  await expect(signIn(service, account)).rejects.toThrow('Signing in failed');
  await signIn(service, { ...account, ADMIN_PASSWORD: 'the second password' });

  const made = /^Password: (\S{12,})$/m.exec(await resetPassword(data, ''))?.[1] ?? '';
  await signIn(service, { ...account, ADMIN_PASSWORD: made });
  await service.close();
  await rm(data, { recursive: true });
});
