/** Reasons why a sign-in through the identity provider failed, by `?error=` of the page. */
const FAILURES: Readonly<Record<string, (provider: string) => string>> = {
  access_denied: (provider: string) => `${provider} refused the sign-in, or you cancelled it.`,
  account_connected: (provider: string) => `This ${provider} account is connected to another account here.`,
  account_exists: (provider: string) =>
    `An account with your address exists already. Sign in with its password, then connect ${provider} on the account page.`,
  email_missing: (provider: string) => `${provider} did not send your email address. Tell your administrator.`,
  email_not_verified: (provider: string) =>
    `Your email address is not verified at ${provider}. Verify it there, then try again.`,
  identity_provider_unavailable: (provider: string) => `${provider} is unreachable. Try again in a few minutes.`,
  no_role: () => 'You have no role here yet. Ask your administrator for access.',
  sign_in_expired: () => 'The sign-in took too long, or was continued in another browser. Try again.',
  sign_in_failed: (provider: string) => `The answer of ${provider} was not valid. Tell your administrator.`,
};

/** `account_exists` at a host of a space, where no identity can be connected. */
const EXISTS_AT_SPACE = (provider: string) =>
  `An account with your address exists already, and this address of a space cannot connect it. Sign in at the address of the whole installation with its password, and connect ${provider} on the account page there. Then ${provider} signs you in here too.`;

/**
 * Explains why a sign-in through the identity provider failed.
 * @param reason `?error=` of the page
 * @param provider its name, if known
 * @param isAtSpaceHost true at a host of a space
 */
export function oidcFailure(reason: string, provider = 'the identity provider', isAtSpaceHost = false): string {
  const own = Object.hasOwn(FAILURES, reason) ? FAILURES[reason] : undefined;
  const explain = isAtSpaceHost && reason === 'account_exists' ? EXISTS_AT_SPACE : own;
  const text = explain?.(provider) ?? `The sign-in through ${provider} failed. Try again.`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
