import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { forbidden } from '../../errors.ts';
import { INSTALLATION } from '../../installation.ts';
import type { Services } from '../../library-services.ts';
import { quote } from '../../path.ts';
import { noSpace } from '../../spaces/manager.ts';
import type { SpaceRegistry } from '../../spaces/registry.ts';
import { type Entrance, type RequestSpace, SPACE_PREFIX } from '../../spaces/rules.ts';
import type { Space } from '../../spaces/space.ts';
import { API_PREFIX } from '../transport/raw-path.ts';
import { noteSessionSpace, noteSpace } from './actor.ts';
import { verifyPresentedKey } from './verified-key.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined in the library. */
    within: RequestSpace | undefined;
    /** Id of the space whose host the request came to, whatever its URL names; undefined at other hosts. */
    hostSpace: string | undefined;
  }
}

/** Returns the id of the space that a request is in; empty for the library. */
export function spaceOf({ within }: FastifyRequest): string {
  return within?.space.id ?? INSTALLATION;
}

/** @throws HttpProblem 404 in a space for the id of another one, or for that of the installation */
export function requireOwnSpace({ within }: FastifyRequest, id: string | undefined): void {
  if (within && id !== undefined && id !== within.space.id) throw noSpace(id);
}

/** Ids of spaces. */
export const SPACE_ID = /^[a-z0-9][a-z0-9-]{1,39}$/;

/** Ids in the URLs of requests, whose prefix was removed before they were routed. */
const prefixes = new WeakMap<IncomingMessage, string>();

/**
 * Removes the prefix `/b/{space}` of a request target, and notes the id for `spaceOfTarget`.
 * @param keepsUnknown leaves the prefix if no space has the id, because another service's URLs may begin so
 */
export function takeSpacePrefix(
  request: IncomingMessage,
  url: string,
  registry: SpaceRegistry,
  keepsUnknown: boolean,
): string {
  const prefixed = splitSpacePrefix(url);
  if (!prefixed || (keepsUnknown && !registry.find(prefixed.id))) return url;
  prefixes.set(request, prefixed.id);
  const { rest } = prefixed;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Removes the prefix `/b/{space}` of a URL, for statistics. */
export function withoutSpacePrefix(url: string): string {
  return splitSpacePrefix(url)?.rest ?? url;
}

/** Splits a URL with the prefix of a space into its id and what follows; undefined for one without. */
function splitSpacePrefix(url: string): { id: string; rest: string } | undefined {
  const target = url.startsWith(`${API_PREFIX}${SPACE_PREFIX}`) ? url.slice(API_PREFIX.length) : url;
  if (!target.startsWith(SPACE_PREFIX)) return undefined;
  let end = SPACE_PREFIX.length;
  while (end < target.length && target[end] !== '/' && target[end] !== '?') end++;
  return { id: target.slice(SPACE_PREFIX.length, end), rest: target.slice(end) };
}

/**
 * Returns the space that the URL or the host of a request names.
 * @throws HttpProblem 404 for an unknown space, 403 for a disabled one
 */
export function spaceOfTarget(request: FastifyRequest, registry: SpaceRegistry): RequestSpace | undefined {
  const id = prefixes.get(request.raw);
  if (id !== undefined) {
    const space = registry.find(id);
    if (!space) throw noSpace(id);
    return enter(space, 'prefix');
  }
  const space = registry.hasHosts ? registry.ofHost(request.host) : undefined;
  return space && enter(space, 'host');
}

/** @throws HttpProblem 403 for a disabled space */
export function enter(space: Space, entrance: Entrance): RequestSpace {
  if (space.isEnabled) return { space, entrance };
  throw forbidden(`The space ${quote(space.id)} is disabled.`, 'space_disabled');
}

/** Notes the space whose host a request came to. Who has this host may read the cookies there. */
export function noteHost(request: FastifyRequest, registry: SpaceRegistry): void {
  if (!registry.hasHosts) return;
  request.hostSpace = registry.ofHost(request.host)?.id;
  if (request.hostSpace !== undefined) noteSessionSpace(request, request.hostSpace);
}

/** Notes the space of a request. */
export function enterRequest(request: FastifyRequest, within: RequestSpace | undefined): void {
  request.within = within;
  if (within) noteSpace(request.raw, within.space.id);
}

/** Paths whose files are the same for everyone: caches keep them by their URL. */
const SHARED_PATHS = ['/t/', '/authenticated/'];

/**
 * Lets a request without a space in its URL or host enter the space of its API key.
 * @throws HttpProblem 403 for a disabled space
 */
export async function enterSpaceOfKey(request: FastifyRequest, { spaces, keyring }: Services): Promise<void> {
  if (spaces.size === 0 || request.within) return;
  const url = request.raw.url ?? '';
  if (SHARED_PATHS.some((start) => url.startsWith(start))) return;
  const holder = await verifyPresentedKey(request, keyring);
  const space = holder && 'space' in holder ? spaces.find(holder.space) : undefined;
  if (space) enterRequest(request, enter(space, 'prefix'));
}
