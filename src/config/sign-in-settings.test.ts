import { describe, expect, test } from 'vitest';
import { type ConfigError, readConfig } from '../config.ts';
import { fingerprintsOf } from './fingerprints.ts';

const OIDC = {
  OIDC_ISSUER: 'https://id.example.com/realms/main/',
  OIDC_CLIENT_ID: 'darkroom',
  OIDC_CLIENT_SECRET: 'the secret',
};
const read = (environment: Record<string, string>) => readConfig(environment).auth.signIn;

function errorsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    return (error as ConfigError).lines;
  }
}

describe('the identity provider', () => {
  test('is none by default, and passwords are accepted', () => {
    expect(read({})).toEqual({ password: 'true', oidc: undefined });
  });

  test('has its issuer as it is written, and defaults for the rest', () => {
    expect(read(OIDC).oidc).toEqual({
      issuer: 'https://id.example.com/realms/main/',
      clientId: 'darkroom',
      clientSecret: 'the secret',
      name: 'OpenID Connect',
      scopes: 'openid email profile',
      rolesClaim: 'groups',
      roles: [],
      defaultRole: undefined,
    });
  });

  test.each([
    ['https://id.example.com', true],
    ['http://localhost:8080/realms/main', true],
    ['http://127.0.0.1:8080', true],
    ['http://[::1]:8080', true],
    ['http://id.example.com', false],
    ['http://localhost.example.com', false],
    ['https://user:password@id.example.com', false],
    ['https://id.example.com?x', false],
    ['https://id.example.com#x', false],
    ['ftp://id.example.com', false],
    ['id.example.com', false],
  ])('with the issuer %s is accepted: %s', (OIDC_ISSUER, isAccepted) => {
    const expected = isAccepted ? [] : [expect.stringContaining(`OIDC_ISSUER: expected an https URL`)];
    expect(errorsOf({ ...OIDC, OIDC_ISSUER })).toEqual(expected);
  });

  test('gives roles in the installation and in spaces', () => {
    const OIDC_ROLES = 'media=editor, acme-team=acme:admin,/a=b/c = viewer,media=acme:viewer';
    expect(errorsOf({ ...OIDC, OIDC_ROLES })).toHaveLength(1);
    expect(read({ ...OIDC, OIDC_ROLES: OIDC_ROLES.replace(' = ', '=') }).oidc?.roles).toEqual([
      { group: 'media', space: '', role: 'editor' },
      { group: 'acme-team', space: 'acme', role: 'admin' },
      { group: '/a=b/c', space: '', role: 'viewer' },
      { group: 'media', space: 'acme', role: 'viewer' },
    ]);
  });

  test.each([
    'media',
    'media=',
    '=editor',
    'media=emperor',
    'media=Acme:editor',
    'media=default:editor',
    'a=b:c:viewer',
  ])('refuses the roles %j, and names what it expects', (OIDC_ROLES) => {
    expect(errorsOf({ ...OIDC, OIDC_ROLES })).toEqual([
      'OIDC_ROLES: expected groups with roles (viewer, contributor, editor, admin, owner) such as ' +
        `media=editor,acme-team=acme:admin, received ${JSON.stringify(OIDC_ROLES)}`,
    ]);
  });

  test('needs the scope openid', () => {
    expect(read({ ...OIDC, OIDC_SCOPES: 'openid  groups openid' }).oidc?.scopes).toBe('openid groups');
    expect(errorsOf({ ...OIDC, OIDC_SCOPES: 'email profile' })).toEqual([
      'OIDC_SCOPES: expected scopes separated by spaces, one of which is openid, received "email profile"',
    ]);
  });
});

describe('settings that need each other', () => {
  test('are named', () => {
    expect(errorsOf({ OIDC_ISSUER: OIDC.OIDC_ISSUER })).toEqual([
      'OIDC_CLIENT_ID: expected a value because OIDC_ISSUER is set, received nothing',
      'OIDC_CLIENT_SECRET: expected a value because OIDC_ISSUER is set, received nothing',
    ]);
    expect(errorsOf({ OIDC_ROLES: 'media=editor' })).toEqual([
      'OIDC_ISSUER: expected a value because OIDC_ROLES is set, received nothing',
    ]);
    for (const PASSWORD_SIGN_IN of ['owners', 'false']) {
      expect(errorsOf({ PASSWORD_SIGN_IN })).toEqual([
        `OIDC_ISSUER: expected a value because PASSWORD_SIGN_IN is ${PASSWORD_SIGN_IN}, received nothing`,
      ]);
      expect(errorsOf({ ...OIDC, PASSWORD_SIGN_IN })).toEqual([]);
    }
  });
});

test('nodes compare all of them, and no fingerprint shows the secret', async () => {
  const fingerprints = await fingerprintsOf(readConfig(OIDC));
  const changes = {
    PASSWORD_SIGN_IN: 'owners',
    OIDC_ISSUER: 'https://other.example.com',
    OIDC_CLIENT_ID: 'another',
    OIDC_CLIENT_SECRET: 'another',
    OIDC_NAME: 'Another',
    OIDC_SCOPES: 'openid',
    OIDC_ROLES_CLAIM: 'roles',
    OIDC_ROLES: 'media=editor',
    OIDC_DEFAULT_ROLE: 'viewer',
  };
  for (const [name, value] of Object.entries(changes)) {
    const changed = await fingerprintsOf(readConfig({ ...OIDC, [name]: value }));
    const different = Object.keys(fingerprints).filter((one) => fingerprints[one] !== changed[one]);
    expect(different).toEqual([name]);
  }
  expect(Object.values(fingerprints).join()).not.toContain(OIDC.OIDC_CLIENT_SECRET);
});
