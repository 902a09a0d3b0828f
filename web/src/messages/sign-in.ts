/** Texts of the ways to sign in other than a password. */
export const signInMessages = {
  or: 'or',
  continueWith: (provider: string) => `Continue with ${provider}`,
  newTab: 'A new tab opens. Come back to this one after signing in.',
  noTab: 'The browser blocked the new tab. Allow pop-ups for this page, then try again.',
  codeText: 'Open your authenticator app and enter the code for Darkroom.',
  backupText: 'Enter one of the backup codes that you saved when you turned on two-factor authentication.',
  backup: 'Backup code',
  verify: 'Verify',
  useBackup: 'Use a backup code',
  useApp: 'Use the authenticator app',
  back: 'Start again',
  connect: (provider: string) => `Connect ${provider}`,
  connectText: (provider: string) => `Sign in through ${provider} to this account.`,
  connectOther: (provider: string) => `Connect another ${provider} account`,
  notConnected: (provider: string) => `${provider} is not connected to this account.`,
  connected: (provider: string) => `${provider} is connected to this account.`,
};
