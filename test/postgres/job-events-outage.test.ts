import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLocalCluster } from '../../src/cluster/local.ts';
import { openPostgres } from '../../src/db/postgres/open.ts';
import type { OpenDatabase } from '../../src/db/schema.ts';
import { ListenerSlots } from '../../src/http/transport/listener-slots.ts';
import { EventStreams } from '../../src/http/transport/sse.ts';
import { PostgresJobEvents } from '../../src/jobs/events/postgres.ts';
import { jobEvent } from '../../src/jobs/events.ts';
import { silentLog } from '../job-queue.ts';
import { listen } from '../listener.ts';
import { describeOnPostgres } from './database.ts';
import { PostgresServer } from './server.ts';

describeOnPostgres('streams of events whose PostgreSQL goes', () => {
  let server: PostgresServer;
  let database: OpenDatabase;
  let events: PostgresJobEvents;
  let streams: EventStreams;
  let http: Server;
  let url: string;
  beforeAll(async () => {
    server = await PostgresServer.start();
    database = await openPostgres({ url: server.url() });
    events = new PostgresJobEvents({ ...database, bus: createLocalCluster().bus, log: silentLog, pollMs: 100 });
    await events.lastId();
    const slots = new ListenerSlots({ maxClients: 10, maxClientsPerAddress: 10 });
    streams = new EventStreams({ events, slots, heartbeatMs: 60_000 });
    http = createServer((request, response) => {
      const listener = { network: 'client', isAnonymous: true, mayKnow: () => true };
      streams.open(request, response, listener).then((begin) => begin({}));
    }).listen(0, '127.0.0.1');
    await once(http, 'listening');
    url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    streams.close();
    http.close();
    await events.close();
    await database.close();
    await server.close();
  });

  const told = (heard: { type: string; data: Record<string, unknown> }[]) =>
    heard.filter(({ type }) => type === 'job:progress').map(({ data }) => data.progress);

  test('stay open and go on afterwards, and a client may come and come back meanwhile', async () => {
    const staying = listen(url);
    const leaving = listen(url);
    await Promise.all([staying.next('connected'), leaving.next('connected')]);
    await events.publish(jobEvent.progress('j1', 1));
    await Promise.all([staying.next('job:progress'), leaving.next('job:progress')]);
    const comeBack = leaving.breakConnection();
    await events.publish(jobEvent.progress('j1', 2));
    await staying.next('job:progress');

    await server.kill();
    const written = events.publish(jobEvent.progress('j1', 3));
    comeBack();
    const coming = listen(url);
    await Promise.all([leaving.next('connected'), coming.next('connected')]);
    await server.start();
    await written;
    await Promise.all([staying, coming].map((listener) => listener.next('job:progress')));
    for (let n = 0; n < 2; n++) await leaving.next('job:progress');
    expect([told(staying.heard), told(leaving.heard), told(coming.heard)]).toEqual([[1, 2, 3], [1, 2, 3], [3]]);
    expect(staying.heard.filter(({ type }) => type === 'connected')).toHaveLength(1);
    for (const listener of [staying, leaving, coming]) listener.close();
  });
});
