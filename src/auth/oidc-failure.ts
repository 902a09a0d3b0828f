/** Reasons why a sign-in through the identity provider fails, as in `?error=` of the page to sign in. */
export const OIDC_FAILURES = {
  access_denied: 'The person, or the identity provider, has refused.',
  account_connected: 'This identity belongs to another account.',
  account_exists: 'Another account has this e-mail address. Sign in to it and connect it.',
  email_missing: 'The identity provider names no e-mail address.',
  email_not_verified: 'The identity provider says that the e-mail address is not verified.',
  identity_provider_unavailable: 'The identity provider cannot be reached.',
  no_role: 'The person has no role here.',
  sign_in_expired: 'The sign-in took too long, was begun in another browser, or was completed before.',
  sign_in_failed: 'The identity provider answered something that is not valid; the log has the reason.',
} as const;

export type OidcReason = keyof typeof OIDC_FAILURES;

/** A refused sign-in. */
export class OidcFailure extends Error {
  override name = 'OidcFailure';
  readonly reason: OidcReason;

  constructor(reason: OidcReason, cause?: unknown) {
    super(OIDC_FAILURES[reason], { cause });
    this.reason = reason;
  }
}
