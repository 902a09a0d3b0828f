import { expect, test } from 'vitest';
import { OIDC_FAILURES } from '../../../src/auth/oidc-failure.ts';
import { oidcFailure } from './oidc-failure.ts';

test('has words of its own for each reason that the service names', () => {
  const other = oidcFailure('some reason', 'Example ID');
  for (const reason of Object.keys(OIDC_FAILURES)) expect(oidcFailure(reason, 'Example ID')).not.toBe(other);
  expect(oidcFailure('access_denied', 'Example ID')).toContain('Example ID');
});

test('begins with a capital letter also without the name of the identity provider', () => {
  expect(oidcFailure('access_denied')).toMatch(/^The identity provider refused/);
});

test('shows no text of the address', () => {
  for (const reason of ['<b>call 555</b>', 'constructor', ''])
    expect(oidcFailure(reason)).toMatch(/^The sign-in through/);
});
