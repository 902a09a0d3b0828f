import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type PlaceAnswer = (request: IncomingMessage, response: ServerResponse) => void;

export const bytes = (body: Buffer, headers = {}) =>
  ((_, response) => response.writeHead(200, headers).end(body)) satisfies PlaceAnswer;

/** Starts a former location of files; records its responses by path, and the requested paths. */
export async function startPlace() {
  const answers: Record<string, PlaceAnswer> = {};
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const answer = answers[request.url ?? ''];
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url, answers, asked, close };
}
