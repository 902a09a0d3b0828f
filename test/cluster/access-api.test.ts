import { sameTestsOnCluster } from './same-tests.ts';

sameTestsOnCluster('keys', () => import('../api/api-keys.test.ts'));
sameTestsOnCluster('accounts and sessions', () => import('../api/auth.test.ts'));
sameTestsOnCluster('the account', () => import('../api/account.test.ts'));
sameTestsOnCluster('sign-ins', () => import('../api/sign-in.test.ts'));
sameTestsOnCluster('OpenID Connect', () => import('../api/oidc.test.ts'));
sameTestsOnCluster('the second factor', () => import('../api/two-factor.test.ts'));
sameTestsOnCluster('keys of Openinary', () => import('../api/import-openinary.test.ts'));
sameTestsOnCluster('access', () => import('../api/access.test.ts'));
sameTestsOnCluster('members', () => import('../api/members.test.ts'));
sameTestsOnCluster('invitations', () => import('../api/invitations.test.ts'));
