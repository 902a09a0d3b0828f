import { sessionQuery, signedIn } from './account.ts';
import { call } from './call.ts';
import { queryClient } from './query-client.ts';

/** Secret of an authenticator app, and the codes that work without it. */
export interface TwoFactorSecret {
  /** `otpauth://totp/...` */
  totpURI: string;
  backupCodes: readonly string[];
}

/** Creates a secret. Nothing changes until `verifyCode` confirms it. @throws ApiError 403 for a wrong password */
export const enableTwoFactor = (password: string): Promise<TwoFactorSecret> =>
  call('enableTwoFactor', 'api/auth/two-factor/enable', { method: 'POST', json: { password } });

/** @throws ApiError 403 for a wrong password */
export async function disableTwoFactor(password: string): Promise<void> {
  await call('disableTwoFactor', 'api/auth/two-factor/disable', { method: 'POST', json: { password } });
  await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
}

/** Completes a sign-in, or confirms the app, with a code of the authenticator app. @throws ApiError 401, 429 */
export async function verifyCode(code: string): Promise<void> {
  await call('verifyTotp', 'api/auth/two-factor/verify-totp', { method: 'POST', json: { code } });
  await signedIn();
}

/** Completes a sign-in. @throws ApiError 401, 429 */
export async function verifyBackupCode(code: string): Promise<void> {
  await call('verifyBackupCode', 'api/auth/two-factor/verify-backup-code', { method: 'POST', json: { code } });
  await signedIn();
}
