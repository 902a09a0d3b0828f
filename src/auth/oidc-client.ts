import type { ClientAuth, Configuration, CustomFetch } from 'openid-client';
import { OidcFailure } from './oidc-failure.ts';

export interface OidcClientSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Separated by spaces. */
  scopes: string;
}

/** The values that bind a response of the identity provider to its request. */
export interface OidcChecks {
  state: string;
  nonce: string;
  /** Verifier of PKCE. */
  verifier: string;
  redirectUri: string;
}

/** Verified claims of a person. */
export interface Claims {
  readonly iss: string;
  readonly sub: string;
  readonly [name: string]: unknown;
}

export interface OidcClient {
  createChecks(redirectUri: string): Promise<OidcChecks>;
  /** The URL at which a person signs in. @throws OidcFailure when the identity provider is unavailable */
  authorizationUrl(checks: OidcChecks): Promise<string>;
  /**
   * Exchanges the code of a response for verified claims. The tokens are dropped.
   * @param search query of the response
   * @param needed claims that the person's account needs, wherever the provider has them
   * @throws OidcFailure
   */
  claims(search: string, checks: OidcChecks, needed: readonly string[]): Promise<Claims>;
}

/** Of each request to the identity provider, which has up to five: metadata, token, keys, claims. */
const TIMEOUT_SECONDS = 5;
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Time for which the metadata are used for authorization URLs; a callback reads them anew, and the keys. */
const METADATA_MS = 60_000;

/** Creates a client of an identity provider. It makes no request before it is used. */
export function createOidcClient(settings: OidcClientSettings): OidcClient {
  let recent: { metadata: Promise<Configuration>; until: number } | undefined;

  /** Concurrent sign-ins share one request. */
  function recentMetadata(): Promise<Configuration> {
    const now = performance.now();
    if (recent && recent.until > now) return recent.metadata;
    const entry = { metadata: discover(settings, fetchBounded), until: now + METADATA_MS };
    recent = entry;
    entry.metadata.catch(() => {
      if (recent === entry) recent = undefined;
    });
    return entry.metadata;
  }

  return {
    async createChecks(redirectUri) {
      const { randomNonce, randomPKCECodeVerifier, randomState } = await load();
      return { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier(), redirectUri };
    },

    async authorizationUrl({ state, nonce, verifier, redirectUri }) {
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await load();
      try {
        const url = buildAuthorizationUrl(await recentMetadata(), {
          redirect_uri: redirectUri,
          scope: settings.scopes,
          state,
          nonce,
          code_challenge: await calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        });
        return url.href;
      } catch (error) {
        throw new OidcFailure('identity_provider_unavailable', error);
      }
    },

    async claims(search, checks, needed) {
      const watch = watchOutages();
      try {
        return await readClaims(settings, watch.fetch, { search, checks, needed });
      } catch (error) {
        throw new OidcFailure(watch.hasFailed() ? 'identity_provider_unavailable' : await reasonOf(error), error);
      }
    },
  };
}

/** Loaded by the first sign-in. */
const load = () => import('openid-client');

async function discover({ issuer, clientId, clientSecret }: OidcClientSettings, fetch: CustomFetch) {
  const client = await load();
  const { ClientSecretBasic, ClientSecretPost, customFetch, enableNonRepudiationChecks } = client;
  const basic = ClientSecretBasic(clientSecret);
  const post = ClientSecretPost(clientSecret);
  // Basic is what a provider has that names no methods, and the default of registered clients.
  const authenticate: ClientAuth = (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
  return client.discovery(new URL(issuer), clientId, undefined, authenticate, {
    [customFetch]: fetch,
    timeout: TIMEOUT_SECONDS,
    // The signature of the ID token is verified although it comes over TLS.
    execute: issuer.startsWith('http:')
      ? [client.allowInsecureRequests, enableNonRepudiationChecks]
      : [enableNonRepudiationChecks],
  });
}

interface AuthorizationResponse {
  search: string;
  checks: OidcChecks;
  needed: readonly string[];
}

/** A new configuration for each response: its keys are read anew, so that a rotation needs no waiting. */
async function readClaims(
  settings: OidcClientSettings,
  fetch: CustomFetch,
  { search, checks, needed }: AuthorizationResponse,
): Promise<Claims> {
  const { authorizationCodeGrant, fetchUserInfo } = await load();
  const configuration = await discover(settings, fetch);
  const url = new URL(checks.redirectUri);
  url.search = search;
  const tokens = await authorizationCodeGrant(configuration, url, {
    expectedState: checks.state,
    expectedNonce: checks.nonce,
    pkceCodeVerifier: checks.verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new Error('The response has no ID token.');
  const isComplete = needed.every((name) => claims[name] !== undefined);
  if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
  const more = await fetchUserInfo(configuration, tokens.access_token, claims.sub);
  return { ...more, ...claims };
}

/** True reasons are in the cause, for the log. */
async function reasonOf(error: unknown) {
  const { AuthorizationResponseError } = await load();
  const isDenied = error instanceof AuthorizationResponseError && error.error === 'access_denied';
  return isDenied ? 'access_denied' : 'sign_in_failed';
}

/** Notes requests that the identity provider did not answer, or answered with a fault of its own. */
function watchOutages() {
  let hasFailed = false;
  const fetch: CustomFetch = async (url, options) => {
    try {
      const response = await fetchBounded(url, options);
      if (response.status >= 500) hasFailed = true;
      return response;
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  return { fetch, hasFailed: () => hasFailed };
}

/** Reads the whole response, up to a size. The timeout is the library's signal. */
const fetchBounded: CustomFetch = async (url, { body, headers, method, signal }) => {
  const response = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    ...(body !== undefined && { body }),
    ...(signal !== undefined && { signal }),
  });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new Error(`${new URL(url).host} sent more than ${MAX_ANSWER_BYTES} bytes.`);
    chunks.push(chunk);
  }
  const { status, statusText } = response;
  return new Response(size === 0 ? null : Buffer.concat(chunks), { status, statusText, headers: response.headers });
};
