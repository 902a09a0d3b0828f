import { ask } from './http.ts';
import type { TestService } from './service.ts';

/** Setting that lets a test claim any client address. */
export const FROM_ANYWHERE = { TRUSTED_PROXIES: '127.0.0.1' };

let addresses = 0;

/** Returns a new address for each sign-in, because few are allowed per address. */
export function anotherAddress(): string {
  return `198.51.100.${addresses++ % 250}`;
}

/** Signs in as admin, at a service started with `FROM_ANYWHERE`; returns the cookie as a browser sends it back. */
export async function signIn(
  service: TestService,
  { ADMIN_EMAIL, ADMIN_PASSWORD }: { ADMIN_EMAIL: string; ADMIN_PASSWORD: string },
): Promise<string> {
  const answer = await ask(service.url, '/api/auth/sign-in/email', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': anotherAddress() },
    body: JSON.stringify({ email: ADMIN_EMAIL, password: ADMIN_PASSWORD }),
  });
  const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0];
  if (answer.status !== 200 || cookie === undefined) throw new Error(`Signing in failed: ${answer.body}`);
  return cookie;
}
