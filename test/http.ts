import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { connect } from 'node:net';
import { buffer, text } from 'node:stream/consumers';

export interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
  json(): Record<string, unknown>;
}

export interface Asking {
  method?: string;
  headers?: http.OutgoingHttpHeaders;
  body?: Uint8Array | string;
  agent?: http.Agent;
}

/** Requests a path exactly as written; `fetch` would normalize dots and encodings first. */
export async function ask(
  url: string,
  path: string,
  { method = 'GET', headers, body, agent }: Asking = {},
): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const request = http.request({ hostname, port, path, method, ...(headers && { headers }), ...(agent && { agent }) });
  request.end(body);
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const bytes = await buffer(response);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: bytes,
    json: () => JSON.parse(bytes.toString()),
  };
}

/** Requests with a JSON body, or without any. */
export function askJson(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: http.OutgoingHttpHeaders = {},
): Promise<Answer> {
  if (body === undefined) return ask(url, path, { method, headers });
  const ofJson = { ...headers, 'content-type': 'application/json' };
  return ask(url, path, { method, headers: ofJson, body: JSON.stringify(body) });
}

/** Returns the cookies that an answer sets, as a browser sends them back. */
export function cookiesOf({ headers }: Answer): string {
  const set = headers['set-cookie'] ?? [];
  return set
    .filter((line) => !/max-age=0\b/i.test(line))
    .map((line) => line.split(';')[0] ?? '')
    .join('; ');
}

/** Sends raw text over its own connection and returns the whole response. */
export async function askRaw(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(request);
  return text(socket);
}

export function fixture(name: string): Buffer {
  return readFileSync(new URL(`./fixtures/${name}`, import.meta.url));
}
