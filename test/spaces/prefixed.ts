import type { IncomingMessage, OutgoingHttpHeader, Server, ServerResponse } from 'node:http';

/** A path that a client may request, as a whole value in JSON and without the prefix of a space. */
const LIBRARY_URL = /":"(?:https?:\/\/[^"/]+)?\/(?:t|authenticated|download|download-zip|video-status|upload)\//;

/**
 * Lets tests that know nothing of spaces enter one by `/b/{space}`: every request gets the prefix as soon as it is
 * parsed, and answers lose it. Answers with a URL that does not begin with it are 500.
 */
export function prefixRequests(server: Server, prefix: string): void {
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    request.url = prefixed(request.url ?? '/', prefix);
    takePrefix(response, prefix);
  };
  server.prependListener('request', listener);
  server.prependListener('checkExpectation', listener);
}

/** The prefix follows the origin of a request target in absolute form, and `/api` of a path that is delivered there too. */
function prefixed(target: string, prefix: string): string {
  const [before = ''] = /^(https?:\/\/[^/]+)?(\/api(?=\/t\/))?/.exec(target) ?? [];
  const path = target.slice(before.length);
  return path.startsWith('/') ? before + prefix + path : target;
}

type Head = [status: number, ...rest: unknown[]];

function takePrefix(response: ServerResponse, prefix: string): void {
  const writeHead = response.writeHead.bind(response) as (...head: Head) => ServerResponse;
  const write = response.write.bind(response) as (...rest: unknown[]) => boolean;
  const end = response.end.bind(response) as (...rest: unknown[]) => ServerResponse;
  const without = (text: string) => text.replaceAll(`${prefix}/`, '/');
  let type: string | undefined;
  /** The answer, if it is JSON, whose length changes. */
  let waiting: { head: Head; chunks: Buffer[] } | undefined;

  function begin(...head: Head): ServerResponse {
    const headers = head.at(-1);
    for (const [name, value] of pairsOf(headers)) response.setHeader(name, value);
    for (const name of response.getHeaderNames()) {
      const value = response.getHeader(name);
      if (typeof value === 'string' && value.includes(`${prefix}/`)) response.setHeader(name, without(value));
    }
    type = String(response.getHeader('content-type') ?? '');
    const bare = head.filter((part) => typeof part !== 'object') as Head;
    if (!type.startsWith('application/json') || response.req.method === 'HEAD') return writeHead(...bare);
    waiting = { head: bare, chunks: [] };
    return response;
  }

  response.writeHead = begin as typeof response.writeHead;

  response.write = ((...rest: unknown[]) => {
    if (type === undefined) begin(response.statusCode);
    const [chunk, ...others] = rest;
    if (!waiting)
      return type?.startsWith('text/event-stream') ? write(without(String(chunk)), ...others) : write(...rest);
    waiting.chunks.push(Buffer.from(chunk as string));
    const callback = others.find((other) => typeof other === 'function');
    if (callback) process.nextTick(callback as () => void);
    return true;
  }) as typeof response.write;

  response.end = ((...rest: unknown[]) => {
    if (type === undefined) begin(response.statusCode);
    if (!waiting) return end(...rest);
    const { head, chunks } = waiting;
    waiting = undefined;
    if (typeof rest[0] === 'string' || rest[0] instanceof Uint8Array) chunks.push(Buffer.from(rest.shift() as string));
    const text = Buffer.concat(chunks).toString();
    if (LIBRARY_URL.test(text)) head[0] = 500;
    const body = without(text);
    if (response.hasHeader('content-length')) response.setHeader('Content-Length', Buffer.byteLength(body));
    writeHead(...head);
    return body === '' ? end(...rest) : end(body, ...rest);
  }) as typeof response.end;
}

function pairsOf(headers: unknown): [string, OutgoingHttpHeader][] {
  if (typeof headers !== 'object' || headers === null) return [];
  if (!Array.isArray(headers)) return Object.entries(headers);
  return Array.from({ length: headers.length / 2 }, (_, n) => [headers[2 * n], headers[2 * n + 1]]);
}
