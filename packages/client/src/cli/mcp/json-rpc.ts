export type Id = string | number;
export type Fields = Readonly<Record<string, unknown>>;

/** Error codes of JSON-RPC 2.0 and MCP. */
const CODES = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  unsupportedVersion: -32_022,
} as const;

/** A request that cannot be answered; the message says why. */
export class RpcError extends Error {
  override name = 'RpcError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: keyof typeof CODES, message: string, data?: unknown) {
    super(message);
    this.code = CODES[code];
    this.data = data;
  }
}

export interface Message {
  /** Undefined for a notification, which has no response. */
  id: Id | undefined;
  method: string;
  params: Fields;
}

/**
 * Parses a line.
 * @returns undefined for a response, because no request was sent
 * @throws RpcError; `idOf` returns its recipient
 */
export function readMessage(line: unknown): Message | undefined {
  if (!isObject(line) || line.jsonrpc !== '2.0') {
    throw new RpcError('invalidRequest', 'Expected one object of JSON-RPC 2.0 in each line.');
  }
  const { id, method, params = {} } = line;
  if (method === undefined && ('result' in line || 'error' in line)) return undefined;
  if (typeof method !== 'string') throw new RpcError('invalidRequest', 'Expected a text as "method".');
  if (id !== undefined && idOf(line) === undefined) {
    throw new RpcError('invalidRequest', 'Expected a text or a whole number as "id".');
  }
  if (!isObject(params)) throw new RpcError('invalidParams', 'Expected an object as "params".');
  return { id: idOf(line), method, params };
}

/** Returns the id of a message, if it has a valid one. */
export function idOf(line: unknown): Id | undefined {
  const id = isObject(line) ? line.id : undefined;
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as Id) : undefined;
}

/** Writes a response as one line. */
export function resultText(id: Id, result: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

/** @param id undefined if the request could not be parsed */
export function errorText(id: Id | undefined, { code, message, data }: RpcError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
