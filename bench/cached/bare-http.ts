// The minimum of node:http: one body in memory, with the headers of the service. Arguments: file, headers as JSON.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const [file = '', headers = '[]'] = process.argv.slice(2);
const body = readFileSync(file);
const flat: string[] = JSON.parse(headers);
const server = createServer({ keepAliveTimeout: 65_000 }, (_request, response) => {
  response.writeHead(200, flat);
  response.end(body);
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
