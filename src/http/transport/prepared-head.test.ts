import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { headerLines, PreparedHeads, sendsPreparedHeads } from './prepared-head.ts';

const LINES = headerLines(['Content-Type', 'image/webp', 'ETag', '"a: b"', 'Vary', 'Accept']);
const BODY = Buffer.from('picture');

/** The answers of two requests on one connection, a 200 and a 304, as they go over the wire. */
async function answers(heads: PreparedHeads): Promise<string> {
  const server = http.createServer({ keepAliveTimeout: 0 }, ({ url }, response) => {
    if (url === '/held') heads.send(response, 304, LINES, undefined);
    else heads.send(response, 200, `Content-Length: ${BODY.length}\r\n${LINES}`, BODY);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
  let received = '';
  socket.setEncoding('latin1').on('data', (text) => {
    received += text;
  });
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /held HTTP/1.1\r\nHost: a\r\n\r\n');
  while (!/ 304 .*\r\n\r\n$/s.test(received)) await once(socket, 'data');
  socket.destroy();
  server.close();
  return received.replaceAll(/Date: .*\r\n/g, 'Date: now\r\n');
}

test('this Node sends heads that are prepared', () => {
  expect(sendsPreparedHeads()).toBe(true);
});

test('a prepared answer is, byte for byte, what this Node itself makes of its headers, which is the way where none can be prepared', async () => {
  const [prepared, ordinary] = [await answers(new PreparedHeads(true)), await answers(new PreparedHeads(false))];
  expect(prepared).toBe(ordinary);
  expect(prepared).toContain('\r\nETag: "a: b"\r\n');
  expect(prepared).toContain(`\r\n\r\n${BODY}HTTP/1.1 304`);
});
