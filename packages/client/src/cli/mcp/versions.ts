import { type Fields, isObject, RpcError } from './json-rpc.ts';

/** Revision whose requests state their own revision. */
const MODERN = '2026-07-28';
/** Revisions that begin with `initialize`, the newest first. */
const WITH_HANDSHAKE = ['2025-11-25', '2025-06-18'];

export const VERSIONS: readonly string[] = [MODERN, ...WITH_HANDSHAKE];

const META = 'io.modelcontextprotocol/';

/** Key of a result under which a server names itself. */
export const SERVER_INFO = `${META}serverInfo`;

/** True for a request of the revision without a handshake. @throws RpcError for an unsupported revision */
export function isModern({ _meta }: Fields): boolean {
  const meta = isObject(_meta) ? _meta : {};
  const requested = meta[`${META}protocolVersion`];
  if (requested === undefined) return false;
  if (requested !== MODERN) {
    throw new RpcError('unsupportedVersion', 'Unsupported protocol version', { supported: VERSIONS, requested });
  }
  if (!isObject(meta[`${META}clientCapabilities`])) {
    throw new RpcError('invalidParams', `Expected an object as "${META}clientCapabilities" in "_meta".`);
  }
  return true;
}

/** Returns the revision of a handshake: the requested one, or else the newest, which the client may decline. */
export function agreedVersion(asked: unknown): string | undefined {
  return WITH_HANDSHAKE.find((one) => one === asked) ?? WITH_HANDSHAKE[0];
}
