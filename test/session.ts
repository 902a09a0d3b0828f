import { randomInt } from 'node:crypto';
import { askJson, cookiesOf } from './http.ts';
import type { TestService } from './service.ts';

/** Setting that lets a test claim any client address. */
export const FROM_ANYWHERE = { TRUSTED_PROXIES: '127.0.0.1' };

/** The addresses of 198.18.0.0/15, which are kept for tests. */
const ADDRESSES = 2 ** 17;

// The sign-ins of an address are counted for the whole process, so each file begins at another place.
let next = randomInt(ADDRESSES);

/** Returns a new address for each sign-in, because few are allowed per address. */
export function anotherAddress(): string {
  const n = next++ % ADDRESSES;
  return `198.${18 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`;
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
