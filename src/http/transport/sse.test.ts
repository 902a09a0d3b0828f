import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test, vi } from 'vitest';
import type { JobEvent, JobEvents } from '../../jobs/events.ts';
import { type ListenerLimits, ListenerSlots } from './listener-slots.ts';
import { EventStreams, type EventStreamsOptions } from './sse.ts';

let notify: (event: JobEvent) => void;
let streams: EventStreams;
let server: http.Server;
let url: string;

const events = {
  subscribe(listener: (event: JobEvent) => void) {
    notify = listener;
    return () => undefined;
  },
  lastId: async () => 0,
  since: async () => ({ events: [], upTo: 0, isAll: true }),
} as unknown as JobEvents;

async function start({
  maxClients = 10,
  maxClientsPerAddress = 10,
  ...options
}: Partial<EventStreamsOptions & ListenerLimits>): Promise<void> {
  const slots = new ListenerSlots({ maxClients, maxClientsPerAddress });
  streams = new EventStreams({ events, slots, heartbeatMs: 60_000, ...options });
  server = http.createServer(async (request, response) => {
    const listener = { network: 'a', isAnonymous: request.url === '/anonymous', mayKnow: () => true };
    try {
      const begin = await streams.open(request, response, listener);
      begin({});
    } catch (error) {
      response.writeHead((error as { status: number }).status).end();
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function listen(path: string, headers: http.OutgoingHttpHeaders = {}): Promise<http.IncomingMessage> {
  const [response] = await once(http.get(`${url}${path}`, { agent: false, headers }), 'response');
  return response;
}

afterEach(() => {
  streams.close();
  server.closeAllConnections();
  server.close();
});

test('the stream of a reader ends after its time, and that of anybody else goes on', async () => {
  await start({ readerStreamMs: 20 });
  const anonymous = await listen('/anonymous');
  const reader = await listen('/reader');
  expect(await text(reader)).toContain('event: connected');
  const heard = text(anonymous);
  notify({ id: 1, type: 'job:progress', data: { jobId: 'a-job', progress: 50 } } as JobEvent);
  streams.close();
  expect(await heard).toContain('event: job:progress');
});

test('without credentials, a client of the library hears nothing of the jobs of spaces', async () => {
  const told = ['acme', undefined, 'acme'].map((space, n) => ({
    id: n + 1,
    type: 'job:progress',
    data: { jobId: `job-${n + 1}`, progress: 1 },
    space,
  })) as JobEvent[];
  const since = vi.spyOn(events, 'since');
  since.mockImplementation(async (id) => ({ events: told.filter((one) => one.id > id), upTo: 3, isAll: true }));
  await start({});
  const open = await Promise.all(
    ['/anonymous', '/reader'].flatMap((path) => [listen(path), listen(path, { 'last-event-id': '1' })]),
  );
  const heard = open.map(text);
  await vi.waitFor(() => expect(since).toHaveBeenCalledTimes(2));
  for (const event of told) notify(event);
  notify({ id: 4, type: 'job:progress', data: { jobId: 'job-4', progress: 1 } } as JobEvent);
  streams.close();
  const jobs = (await Promise.all(heard)).map((received) => received.match(/job-\d/g));
  expect(jobs).toEqual([
    ['job-2', 'job-4'],
    ['job-2', 'job-4'],
    ['job-1', 'job-2', 'job-3', 'job-4'],
    ['job-2', 'job-3', 'job-4'],
  ]);
  since.mockRestore();
});

test('a place is left to readers where fewer than ten may listen', async () => {
  await start({ maxClients: 3 });
  const statuses: unknown[] = [];
  for (const path of ['/anonymous', '/anonymous', '/anonymous', '/reader'])
    statuses.push((await listen(path)).statusCode);
  expect(statuses).toEqual([200, 200, 503, 200]);
});

/** Reads until the stream has a text. */
async function readUntil(response: http.IncomingMessage, end: string): Promise<string> {
  let received = '';
  for await (const chunk of response) {
    received += chunk;
    if (received.includes(end)) break;
  }
  return received;
}

test('an event reaches many listeners in pieces, and each of them hears all events in order', async () => {
  await start({ maxClients: 300, maxClientsPerAddress: 300 });
  const listeners = await Promise.all(Array.from({ length: 250 }, () => listen('/anonymous')));
  const write = vi.spyOn(http.ServerResponse.prototype, 'write');
  for (const id of [1, 2, 3]) notify({ id, type: 'job:progress', data: { jobId: 'a-job', progress: id } } as JobEvent);
  expect(write).toHaveBeenCalledTimes(100);
  for (const received of await Promise.all(listeners.map((response) => readUntil(response, 'id: 3\n'))))
    expect(received.match(/(?<=id: )\d+/g)).toEqual(['0', '1', '2', '3']);
  write.mockRestore();
});

test('no event is lost when the streams end before all have it', async () => {
  await start({ maxClients: 300, maxClientsPerAddress: 300 });
  const listeners = await Promise.all(Array.from({ length: 250 }, () => listen('/anonymous')));
  notify({ id: 1, type: 'job:progress', data: { jobId: 'a-job', progress: 1 } } as JobEvent);
  streams.close();
  for (const received of await Promise.all(listeners.map(text))) expect(received.match(/id: 1\n/g)).toHaveLength(1);
});
