import { createInterface } from 'node:readline';
import { joinPostgresCluster } from '../../../src/cluster/postgres.ts';
import { openPostgres } from '../../../src/db/postgres/open.ts';
import { PostgresJobEvents } from '../../../src/jobs/events/postgres.ts';
import { Queue } from '../../../src/jobs/queue.ts';
import { SqlJobStore } from '../../../src/jobs/sql-job-store.ts';
import { Worker } from '../../../src/jobs/worker.ts';
import { silentLog } from '../../job-queue.ts';
import { TOY_QUEUE, type ToyOptions } from './toys.ts';

// A node whose jobs wait for a time, or for a line on its standard input. It prints its actions, one per line.
const { url, leaseMs, workMs, clockMs }: ToyOptions = JSON.parse(process.argv[2] ?? '{}');
if (clockMs) setClock(clockMs);

const { db } = await openPostgres({ url });
const { bus } = await joinPostgresCluster({ url, log: silentLog, probeMs: 30_000 });
const events = new PostgresJobEvents({ db, bus, log: silentLog, tidyMs: 500 });
const queue = new Queue({ store: new SqlJobStore(db), events, bus, ...TOY_QUEUE, leaseMs });
const say = (word: string, id = '') => process.stdout.write(`${word} ${id}\n`);

const complete = queue.complete.bind(queue);
queue.complete = async (held) => {
  const job = await complete(held);
  say(job ? 'completed' : 'refused', held.id);
  return job;
};
const told = Promise.withResolvers<void>();
// It ends with its parent.
createInterface({ input: process.stdin })
  .on('line', () => told.resolve())
  .on('close', () => process.exit());

const worker = new Worker({
  queue,
  async run({ id }) {
    say('begun', id);
    await (workMs === undefined ? told.promise : new Promise((resolve) => setTimeout(resolve, workMs)));
  },
  maxConcurrent: 2,
  log: silentLog,
  pollIntervalMs: 100,
  heartbeatMs: leaseMs / 4,
});
worker.start();
say('ready');

/** Sets the clock of this process, but not that of its timers. */
function setClock(offsetMs: number): void {
  const TrueDate = Date;
  const now = () => TrueDate.now() + offsetMs;
  globalThis.Date = class extends TrueDate {
    static override now = now;
    constructor(...args: [] | [number | string]) {
      super(args[0] ?? now());
    }
  } as DateConstructor;
}
