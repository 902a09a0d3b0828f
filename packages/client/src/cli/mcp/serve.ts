import { once } from 'node:events';
import { plainLines } from '../printable.ts';
import { version } from '../version.ts';
import { callTool, toolEntries } from './calls.ts';
import {
  errorText,
  type Fields,
  type Id,
  idOf,
  isObject,
  type Message,
  RpcError,
  readMessage,
  resultText,
} from './json-rpc.ts';
import type { Tool } from './tool.ts';

/** Per request. No assistant sends longer lines. */
const MAX_LINE_BYTES = 1024 * 1024;
const MAX_IN_PROGRESS = 16;
/** Fetching a large file takes the service a while. */
const MAX_MILLISECONDS = 5 * 60 * 1000;
/** Time for which clients may cache the list of tools. Its limits are settings of the service. */
const TTL_MILLISECONDS = 10 * 60 * 1000;

const INSTRUCTIONS =
  'Darkroom stores the pictures, videos and other files of a website and delivers them in any size, crop or format through their URLs. ' +
  'Find files with list_files and search_files, write URLs with transform_url. Widths and heights are in pixels, sizes in bytes, durations in seconds. What is not known or not set is left out.';

/** Speaks MCP over two streams until the input ends. Then requests in progress are aborted. */
export async function serve(
  tools: readonly Tool[],
  input: AsyncIterable<Uint8Array>,
  output: NodeJS.WritableStream & { writableNeedDrain: boolean },
): Promise<void> {
  const server = new Server(tools, (line) => output.write(`${line}\n`));
  for await (const line of linesOf(input, MAX_LINE_BYTES)) {
    server.receive(line);
    if (output.writableNeedDrain) await once(output, 'drain');
  }
  server.close();
}

class Server {
  readonly #tools: readonly Tool[];
  readonly #send: (line: string) => void;
  readonly #inProgress = new Map<Id, AbortController>();
  readonly #info = { name: 'darkroom', title: 'Darkroom', version: version() };

  constructor(tools: readonly Tool[], send: (line: string) => void) {
    this.#tools = tools;
    this.#send = send;
  }

  /** @param line undefined for one that is too long */
  receive(line: string | undefined): void {
    if (line?.trim() === '') return;
    let parsed: unknown;
    try {
      if (line === undefined) throw new RpcError('parse', `Expected lines of at most ${MAX_LINE_BYTES} bytes.`);
      parsed = parse(line);
      const message = readMessage(parsed);
      if (message?.id !== undefined) this.#begin({ ...message, id: message.id });
      else if (message?.method === 'notifications/cancelled') this.#cancel(message.params.requestId);
    } catch (error) {
      this.#refuse(idOf(parsed), error);
    }
  }

  /** Aborts requests in progress. */
  close(): void {
    for (const controller of this.#inProgress.values()) controller.abort();
  }

  /** A cancelled request gets no response. */
  #cancel(id: unknown): void {
    this.#inProgress.get(id as Id)?.abort();
  }

  /** @throws RpcError */
  #begin(request: Message & { id: Id }): void {
    const { id } = request;
    if (this.#inProgress.has(id)) throw new RpcError('invalidRequest', 'Expected an "id" that is not in progress.');
    if (this.#inProgress.size >= MAX_IN_PROGRESS) {
      throw new RpcError('internal', `No more than ${MAX_IN_PROGRESS} requests can be in progress.`);
    }
    const controller = new AbortController();
    this.#inProgress.set(id, controller);
    void this.#answer(request, controller.signal).finally(() => this.#inProgress.delete(id));
  }

  async #answer({ id, method, params }: Message & { id: Id }, cancelled: AbortSignal): Promise<void> {
    try {
      const signal = AbortSignal.any([cancelled, AbortSignal.timeout(MAX_MILLISECONDS)]);
      const modern = isModern(params);
      const result = await this.#resultOf({ id, method, params }, modern, signal);
      const own = modern && { resultType: 'complete', _meta: { [SERVER_INFO]: this.#info } };
      if (!cancelled.aborted) this.#send(resultText(id, { ...result, ...own }));
    } catch (error) {
      if (!cancelled.aborted) this.#refuse(id, error);
    }
  }

  /** @throws RpcError */
  async #resultOf({ method, params }: Message, modern: boolean, signal: AbortSignal): Promise<object> {
    const about = { capabilities: { tools: {} }, instructions: INSTRUCTIONS };
    const caching = modern && { ttlMs: TTL_MILLISECONDS, cacheScope: 'private' };
    if (method === 'server/discover' && modern) return { supportedVersions: VERSIONS, ...about, ...caching };
    if (method === 'initialize' && !modern) {
      return { protocolVersion: agreedVersion(params.protocolVersion), ...about, serverInfo: this.#info };
    }
    if (method === 'ping') return {};
    if (method === 'tools/list') return { tools: await toolEntries(this.#tools, signal), ...caching };
    if (method === 'tools/call') return callTool(this.#tools, params, signal);
    throw new RpcError('methodNotFound', `There is no method ${JSON.stringify(method)}.`);
  }

  #refuse(id: Id | undefined, error: unknown): void {
    const isKnown = error instanceof RpcError;
    if (!isKnown) process.stderr.write(`${plainLines(String(error instanceof Error ? error.stack : error))}\n`);
    this.#send(errorText(id, isKnown ? error : new RpcError('internal', 'Internal error')));
  }
}

/** @throws RpcError */
function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new RpcError('parse', 'Expected JSON in each line.');
  }
}

const LINE_FEED = 10;

/**
 * Yields the lines of a stream, without line breaks; undefined for one that is too long, which is discarded. Text after
 * the last line break is ignored.
 */
export async function* linesOf(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<string | undefined, void> {
  let parts: Uint8Array[] = [];
  let length = 0;
  const add = (part: Uint8Array) => {
    length += part.length;
    if (length > maxBytes) parts = [];
    else parts.push(part);
  };
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      add(chunk.subarray(start, end));
      yield length > maxBytes ? undefined : Buffer.concat(parts).toString();
      parts = [];
      length = 0;
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
}

/** Revision whose requests state their own revision. */
const MODERN = '2026-07-28';
/** Revisions that begin with `initialize`, the newest first. */
const WITH_HANDSHAKE = ['2025-11-25', '2025-06-18'];

export const VERSIONS: readonly string[] = [MODERN, ...WITH_HANDSHAKE];

const META = 'io.modelcontextprotocol/';

/** Key of a result under which a server names itself. */
const SERVER_INFO = `${META}serverInfo`;

/** True for a request of the revision without a handshake. @throws RpcError for an unsupported revision */
function isModern({ _meta }: Fields): boolean {
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
function agreedVersion(requested: unknown): string | undefined {
  return WITH_HANDSHAKE.find((one) => one === requested) ?? WITH_HANDSHAKE[0];
}
