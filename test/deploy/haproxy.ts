import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../ports.ts';
import { describeWithProgram } from './program.ts';

const run = promisify(execFile);

export const CONFIGURATION = join(import.meta.dirname, '..', '..', 'deploy', 'haproxy.cfg');

/** Defines a group of tests that need HAProxy; see `describeWithProgram`. */
export function describeWithHaproxy(name: string, tests: (program: string) => void): Promise<void> {
  return describeWithProgram(name, 'haproxy', 'haproxy', tests);
}

/** Returns the output of `haproxy -c` for a file. */
export async function checkConfiguration(program: string, file = CONFIGURATION): Promise<string> {
  const { stdout, stderr } = await run(program, ['-c', '-f', file]);
  return stdout + stderr;
}

/**
 * A stand-in for a node: it responds to everything, begins an upload with each POST, and `/readyz` responds as the test
 * decides.
 */
export interface StandIn {
  port: number;
  isReady: boolean;
  /** Requested paths, except checks. */
  paths: string[];
  /** Ids of the uploads that it has begun. */
  ids: string[];
  /** Number of failed checks. */
  refusals: number;
  close(): Promise<void>;
}

export async function startStandIn(): Promise<StandIn> {
  const server = http.createServer((request, response) => {
    const isCheck = request.url === '/readyz';
    if (!isCheck) node.paths.push(request.url ?? '');
    else if (!node.isReady) node.refusals++;
    response.statusCode = isCheck && !node.isReady ? 503 : 200;
    // Like a service that is shutting down.
    response.shouldKeepAlive = node.isReady;
    if (request.method === 'POST') {
      node.ids.push(randomUUID());
      response.setHeader('location', `resumable/${node.ids.at(-1)}`);
    }
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const node: StandIn = {
    port: (server.address() as AddressInfo).port,
    isReady: true,
    paths: [],
    ids: [],
    refusals: 0,
    async close() {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
  };
  return node;
}

/**
 * Starts HAProxy with its configuration, except for its port and the addresses of the nodes.
 * @param ports of the nodes
 * @param edit further changes of its file
 */
export async function startHaproxy(
  program: string,
  ports: readonly [number, number],
  edit: (text: string) => string = (text) => text,
) {
  const folder = await mkdtemp(join(tmpdir(), 'haproxy-'));
  const port = await freePort();
  let text = (await readFile(CONFIGURATION, 'utf8')).replace('bind :8080', `bind 127.0.0.1:${port}`);
  ports.forEach((node, index) => {
    text = text.replaceAll(`darkroom-${index + 1}:3000`, `127.0.0.1:${node}`);
  });
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, edit(text));
  const child = spawn(program, ['-db', '-f', file], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      child.kill();
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
