import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

export const CLIENT_ID = 'darkroom';
export const CLIENT_SECRET = 'secret of the client: 100% & more';

/** Claims of a person at the identity provider. */
export type Person = Readonly<Record<string, unknown>>;

type Jwt = Record<string, unknown>;
/** Other values of an ID token; undefined ones are removed. */
interface Change {
  claims?: object;
  header?: object;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

interface Key {
  kid: string;
  privateKey: KeyObject;
}

export interface IdentityProvider {
  issuer: string;
  /** People by their subject. */
  people: Map<string, Person>;
  /** Requested paths, with their query. */
  requests: string[];
  /** True to send the claims with the ID token; false to send them at the UserInfo endpoint only. */
  setClaimsInToken(areInToken: boolean): void;
  /** Signs with another key from now on, and publishes that alone. */
  rotateKeys(): void;
  /** Changes the ID tokens before they are sent; they are signed again, with a key that is not published if `isForged`. */
  tamper(change: Change, isForged?: boolean): void;
  /** Answers instead of the provider; undefined ends that. */
  replaceBy(answer: Answer | undefined): void;
  /** Stops listening, and listens again at the same address. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /**
   * Signs a person in with a new browser, at the URL of a client.
   * @returns the URL of the client to which the browser is sent back
   */
  signIn(url: string, subject: string | 'nobody'): Promise<string>;
  close(): Promise<void>;
}

/**
 * Starts an identity provider (oidc-provider, certified by the OpenID Foundation) with a client.
 * @param redirectUris of the client; called when they are needed, because the service starts after this
 */
export async function startIdentityProvider(redirectUris: () => string | string[]): Promise<IdentityProvider> {
  const people = new Map<string, Person>();
  const requests: string[] = [];
  const records: Records = new Map();
  let key = createKey();
  let areClaimsInToken = true;
  let change: Change | undefined;
  let isForged = false;
  let replaced: Answer | undefined;
  let current: { provider: Provider; handle: ReturnType<Provider['callback']> } | undefined;
  /** The person who signs in at the moment. */
  let subject = 'nobody';

  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    if (replaced) return replaced(request, response);
    current ??= create();
    const { provider, handle } = current;
    if (request.url?.startsWith('/interaction/')) void interact(provider, request, response);
    else void handle(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;

  function create() {
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: CLIENT_ID,
          client_secret: CLIENT_SECRET,
          redirect_uris: [redirectUris()].flat(),
          token_endpoint_auth_method: 'client_secret_basic',
          id_token_signed_response_alg: 'ES256',
        },
      ],
      jwks: { keys: [{ ...key.privateKey.export({ format: 'jwk' }), kid: key.kid, alg: 'ES256', use: 'sig' }] },
      claims: { openid: ['sub', 'groups', 'realm_access'], email: ['email', 'email_verified'], profile: ['name'] },
      conformIdTokenClaims: !areClaimsInToken,
      adapter: (model: string) => createAdapter(records, model),
      cookies: { keys: ['test'] },
      ttl: { Interaction: 600, Session: 600, Grant: 600, AuthorizationCode: 60, AccessToken: 600, IdToken: 600 },
      pkce: { required: () => true },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      findAccount: (_context: unknown, id: string) =>
        people.has(id) ? { accountId: id, claims: () => ({ ...people.get(id), sub: id }) } : undefined,
    });
    provider.use(async (context, next) => {
      await next();
      if (context.oidc?.route !== 'token' || !change) return;
      const tokens = context.body as { id_token: string };
      tokens.id_token = rewrite(tokens.id_token, change, isForged ? createKey() : key);
    });
    return { provider, handle: provider.callback() };
  }

  async function interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    if (subject === 'nobody') {
      const refusal = { error: 'access_denied', error_description: 'The person has refused.' };
      return provider.interactionFinished(request, response, refusal);
    }
    if (prompt.name === 'login') {
      return provider.interactionFinished(request, response, { login: { accountId: subject } });
    }
    const grant = new provider.Grant({ accountId: session?.accountId ?? '', clientId: params.client_id });
    grant.addOIDCScope(params.scope);
    return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
  }

  async function signIn(url: string, as: string): Promise<string> {
    subject = as;
    const cookies = new Map<string, string>();
    for (let at = url; ; ) {
      if (!at.startsWith(issuer)) return at;
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await fetch(at, { redirect: 'manual', headers: { cookie } });
      for (const line of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      const location = answer.headers.get('location');
      if (location === null) throw new Error(`${at}: ${answer.status} ${await answer.text()}`);
      at = new URL(location, at).href;
    }
  }

  return {
    issuer,
    people,
    requests,
    setClaimsInToken(areInToken) {
      areClaimsInToken = areInToken;
      current = undefined;
    },
    rotateKeys() {
      key = createKey();
      current = undefined;
    },
    tamper(next, forged = false) {
      change = next;
      isForged = forged;
    },
    replaceBy(answer) {
      replaced = answer;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
    async start() {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    signIn,
    async close() {
      server.closeAllConnections();
      if (server.listening) server.close();
    },
  };
}

type StoredRecord = Record<string, unknown>;
type Records = Map<string, StoredRecord>;

/** Storage of a provider, which its successor with other keys has as well. The provider's own one prints a warning. */
function createAdapter(records: Records, model: string) {
  const nameOf = (id: string) => `${model} ${id}`;
  return {
    upsert: async (id: string, record: StoredRecord) => void records.set(nameOf(id), record),
    find: async (id: string) => records.get(nameOf(id)),
    findByUid: async (uid: string) => [...records.values()].find((record) => record.uid === uid),
    findByUserCode: async () => undefined,
    consume: async (id: string) => void Object.assign(records.get(nameOf(id)) ?? {}, { consumed: Date.now() / 1000 }),
    destroy: async (id: string) => void records.delete(nameOf(id)),
    revokeByGrantId: async () => undefined,
  };
}

function createKey(): Key {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { kid: randomUUID(), privateKey };
}

/** Changes a JWT and signs it again. */
function rewrite(jwt: string, change: Change, { privateKey }: Key): string {
  const [head, body] = jwt.split('.').map((part) => Buffer.from(part, 'base64url').toString());
  const header: Jwt = { ...JSON.parse(head ?? ''), ...change.header };
  const claims: Jwt = { ...JSON.parse(body ?? ''), ...change.claims };
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  if (header.alg === 'none') return `${text}.`;
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}
