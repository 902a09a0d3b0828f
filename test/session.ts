import { askJson, cookiesOf } from './http.ts';
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
  const account = { email: ADMIN_EMAIL, password: ADMIN_PASSWORD };
  const headers = { 'x-forwarded-for': anotherAddress() };
  const answer = await askJson(service.url, 'POST', '/api/auth/sign-in/email', account, headers);
  const cookie = cookiesOf(answer);
  if (answer.status !== 200 || cookie === '') throw new Error(`Signing in failed: ${answer.body}`);
  return cookie;
}
