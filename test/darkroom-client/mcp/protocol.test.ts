import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { COMPILED } from '../../processes.ts';
import { COMMAND } from './assistant.ts';

const KEY = 'a-key-that-nobody-sees';
const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Requests to a service that does not respond. */
const asked: ServerResponse[] = [];
const silent = createServer((_, response) => void asked.push(response));
const children: ChildProcessWithoutNullStreams[] = [];
let server: ReturnType<typeof startServer>;
/** All that was written. */
let written = '';

beforeAll(async () => {
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  server = startServer();
});
beforeEach(() => void asked.splice(0));
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  silent.closeAllConnections();
  silent.close();
});

/** Starts the program itself, with one line for each message. */
function startServer() {
  const [command, ...args] = COMMAND;
  const DARKROOM_URL = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const child = spawn(command, args, { env: { ...COMPILED, DARKROOM_URL, DARKROOM_KEY: KEY } });
  const closed = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  children.push(child);
  for (const output of [child.stdout, child.stderr]) {
    output.on('data', (chunk: Buffer) => {
      written += chunk;
    });
  }
  return {
    child,
    closed,
    send(message: unknown) {
      child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
    },
    /** Returns the next response; undefined when there are no more. */
    async next(): Promise<Record<string, unknown> | undefined> {
      const { value } = await lines.next();
      return value === undefined ? undefined : JSON.parse(value);
    },
  };
}

const request = (id: unknown, method: string, params?: object) => ({ jsonrpc: '2.0', id, method, params });
const error = (code: number) => ({ code, message: expect.any(String) });

test.each([
  ['no JSON', '{"jsonrpc":', undefined, -32_700],
  ['a line of more than a megabyte', `"${'x'.repeat(1024 * 1024)}"`, undefined, -32_700],
  ['a batch', [request(1, 'ping')], undefined, -32_600],
  ['another JSON-RPC', { id: 1, method: 'ping' }, 1, -32_600],
  ['an id that is null', request(null, 'ping'), undefined, -32_600],
  ['an id that is no whole number', request(1.5, 'ping'), undefined, -32_600],
  ['no method', { jsonrpc: '2.0', id: 1 }, 1, -32_600],
  ['a method that is no text', request(1, 5 as never), 1, -32_600],
  ['params that are a list', request(1, 'ping', []), 1, -32_602],
  ['a method that there is not', request('a', 'resources/list'), 'a', -32_601],
  ['a discovery that names no revision', request(1, 'server/discover'), 1, -32_601],
  ['a handshake of a revision without one', request(1, 'initialize', { _meta: MODERN }), 1, -32_601],
  [
    'a request without capabilities',
    request(1, 'tools/list', { _meta: { ...MODERN, 'io.modelcontextprotocol/clientCapabilities': undefined } }),
    1,
    -32_602,
  ],
  ['a call of no tool', request(1, 'tools/call', { name: 'fly' }), 1, -32_602],
  ['arguments that are a text', request(1, 'tools/call', { name: 'list_files', arguments: 'all' }), 1, -32_602],
])('%s is an error, and the next request is answered', async (_, message, id, code) => {
  server.send(message);
  const { jsonrpc, id: answered, error: said } = (await server.next()) ?? {};
  expect([jsonrpc, answered, said]).toEqual(['2.0', id, error(code)]);
  server.send(request(2, 'ping'));
  expect(await server.next()).toEqual({ jsonrpc: '2.0', id: 2, result: {} });
});

test('a revision that is not spoken is refused with those that are', async () => {
  const _meta = { ...MODERN, 'io.modelcontextprotocol/protocolVersion': '1900-01-01' };
  server.send(request(1, 'tools/list', { _meta }));
  const supported = ['2026-07-28', '2025-11-25', '2025-06-18'];
  expect(await server.next()).toMatchObject({ error: { code: -32_022, data: { supported, requested: '1900-01-01' } } });
  for (const [asked, agreed] of [
    ['2025-06-18', '2025-06-18'],
    ['2024-01-01', '2025-11-25'],
  ]) {
    server.send(request(2, 'initialize', { protocolVersion: asked }));
    expect(await server.next()).toMatchObject({ id: 2, result: { protocolVersion: agreed } });
  }
});

test('notifications, answers and empty lines are not answered', async () => {
  const notes = ['notifications/initialized', 'notifications/cancelled', 'notifications/of-the-future'];
  for (const method of notes) server.send({ jsonrpc: '2.0', method });
  server.send({ jsonrpc: '2.0', id: 7, result: {} });
  server.send('');
  server.send(request(8, 'ping'));
  expect(await server.next()).toMatchObject({ id: 8 });
});

test('a cancelled call asks nothing more of the service and is not answered', async () => {
  server.send(request('slow', 'tools/call', { name: 'search_files', arguments: { query: 'hat' } }));
  await expect.poll(() => asked.length).toBe(1);
  // An id identifies one request at a time.
  server.send(request('slow', 'ping'));
  expect(await server.next()).toMatchObject({ id: 'slow', error: error(-32_600) });
  const [response] = asked as [ServerResponse];
  const given = once(response, 'close');
  server.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow', reason: 'enough' } });
  await given;
  server.send(request('slow', 'ping'));
  expect(await server.next()).toEqual({ jsonrpc: '2.0', id: 'slow', result: {} });
});

test('no more than sixteen requests are under way', async () => {
  for (let id = 1; id <= 17; id++) server.send(request(id, 'tools/call', { name: 'list_files' }));
  expect(await server.next()).toMatchObject({ id: 17, error: error(-32_603) });
  await expect.poll(() => asked.length).toBe(16);
  for (let id = 1; id <= 16; id++) {
    server.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
  }
});

test('the end of the input ends the server at once, with 0 and without a word, whatever is under way', async () => {
  const own = startServer();
  own.send(request(1, 'tools/call', { name: 'list_files' }));
  await expect.poll(() => asked.length).toBe(1);
  own.child.stdin.end();
  expect(await own.closed).toEqual([0, null]);
  expect(await own.next()).toBeUndefined();
});

test('nobody is shown the key', () => {
  expect(written).toContain('"jsonrpc"');
  expect(written).not.toContain(KEY);
});
