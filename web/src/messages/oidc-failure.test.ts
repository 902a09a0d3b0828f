import { expect, test } from 'vitest';
import { OIDC_FAILURES } from '../../../src/auth/oidc-failure.ts';
import { oidcFailure } from './oidc-failure.ts';

test('has words of its own for each reason that the service names', () => {
  const other = oidcFailure('some reason', 'Example ID');
  for (const reason of Object.keys(OIDC_FAILURES)) expect(oidcFailure(reason, 'Example ID')).not.toBe(other);
  expect(oidcFailure('access_denied', 'Example ID')).toContain('Example ID');
});

test('leads to the installation at a host of a space, whose account page connects nothing', () => {
  expect(oidcFailure('account_exists', 'Example ID', true)).toContain('at the address of the whole installation');
  expect(oidcFailure('account_exists', 'Example ID')).not.toContain('installation');
});

test('begins with a capital letter also without the name of the identity provider', () => {
  expect(oidcFailure('access_denied')).toMatch(/^The identity provider refused/);
});

test('shows no text of the address', () => {
  for (const reason of ['<b>call 555</b>', 'constructor', ''])
    expect(oidcFailure(reason)).toMatch(/^The sign-in through/);
});
