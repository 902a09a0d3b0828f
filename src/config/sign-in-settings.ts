import { claimedRoles, issuer, oneOf, scopes, text } from './formats.ts';
import { setting } from './setting.ts';

/** Roles, from the lowest to the highest. */
export const ROLE_NAMES = ['viewer', 'contributor', 'editor', 'admin', 'owner'] as const;

/** How people sign in. */
export const signIn = {
  password: setting('PASSWORD_SIGN_IN', oneOf(['true', 'owners', 'false']), {
    default: 'true',
    about:
      'Who may sign in with a password: `true` (everyone who has one), `owners` (owners of the installation) or ' +
      '`false`. The last two need `OIDC_ISSUER`.',
  }),
  oidc: {
    issuer: setting('OIDC_ISSUER', issuer(), {
      about:
        'Issuer of an identity provider with OpenID Connect, exactly as it names itself: ' +
        '[sign-in with OpenID Connect](single-sign-on.md). http is accepted for this host only.',
    }),
    clientId: setting('OIDC_CLIENT_ID', text('the id of a client'), {
      about: 'Id of the client at the identity provider. Needed with `OIDC_ISSUER`.',
    }),
    clientSecret: setting('OIDC_CLIENT_SECRET', text('the secret of a client'), {
      secret: true,
      about: 'Secret of that client. Needed with `OIDC_ISSUER`.',
    }),
    name: setting('OIDC_NAME', text('a name of at most 50 characters', 1, 50), {
      default: 'OpenID Connect',
      about: 'Name of the identity provider in the dashboard: "Continue with ...".',
    }),
    scopes: setting('OIDC_SCOPES', scopes(), {
      default: 'openid email profile',
      about: 'Requested scopes, separated by spaces; one is `openid`.',
    }),
    rolesClaim: setting('OIDC_ROLES_CLAIM', text('the name of a claim'), {
      default: 'groups',
      about: 'Claim with the groups of a person: a text or a list. `realm_access.roles` is `roles` in `realm_access`.',
    }),
    roles: setting('OIDC_ROLES', claimedRoles(ROLE_NAMES), {
      default: '',
      about:
        'Roles by group, separated by commas: `media=editor` in the installation, `acme-team=acme:admin` in the space ' +
        '`acme`. Each sign-in sets them.',
    }),
    defaultRole: setting('OIDC_DEFAULT_ROLE', oneOf(ROLE_NAMES), {
      about:
        'Role in the installation of everyone who has no group of `OIDC_ROLES`. Without it, such people are refused ' +
        'unless somebody gave them a role.',
    }),
  },
};
