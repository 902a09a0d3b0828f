import { expect, test } from 'vitest';
import { secretOf } from './secret.ts';

test('shows the secret in groups of four', () => {
  const uri = 'otpauth://totp/Darkroom:ada%40example.com?secret=JBSWY3DPEHPK3PXPJB&issuer=Darkroom&digits=6&period=30';
  expect(secretOf(uri)).toBe('JBSW Y3DP EHPK 3PXP JB');
});
