import { once } from 'node:events';
import { plainLines } from '../printable.ts';
import { version } from '../version.ts';
import { callTool, toolEntries } from './calls.ts';
import { errorText, type Id, idOf, type Message, RpcError, readMessage, resultText } from './json-rpc.ts';
import { linesOf } from './lines.ts';
import type { Tool } from './tool.ts';
import { agreedVersion, isModern, SERVER_INFO, VERSIONS } from './versions.ts';

/** Per request. No assistant sends longer lines. */
const MAX_LINE_BYTES = 1024 * 1024;
const MAX_UNDER_WAY = 16;
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
  readonly #underWay = new Map<Id, AbortController>();
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
    for (const controller of this.#underWay.values()) controller.abort();
  }

  /** A cancelled request gets no response. */
  #cancel(id: unknown): void {
    this.#underWay.get(id as Id)?.abort();
  }

  /** @throws RpcError */
  #begin(request: Message & { id: Id }): void {
    const { id } = request;
    if (this.#underWay.has(id)) throw new RpcError('invalidRequest', 'Expected an "id" that is not under way.');
    if (this.#underWay.size >= MAX_UNDER_WAY) {
      throw new RpcError('internal', `No more than ${MAX_UNDER_WAY} requests can be under way.`);
    }
    const controller = new AbortController();
    this.#underWay.set(id, controller);
    void this.#answer(request, controller.signal).finally(() => this.#underWay.delete(id));
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
    const kept = modern && { ttlMs: TTL_MILLISECONDS, cacheScope: 'private' };
    if (method === 'server/discover' && modern) return { supportedVersions: VERSIONS, ...about, ...kept };
    if (method === 'initialize' && !modern) {
      return { protocolVersion: agreedVersion(params.protocolVersion), ...about, serverInfo: this.#info };
    }
    if (method === 'ping') return {};
    if (method === 'tools/list') return { tools: await toolEntries(this.#tools, signal), ...kept };
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
