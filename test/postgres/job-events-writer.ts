import { createLocalCluster } from '../../src/cluster/local.ts';
import { openPostgres } from '../../src/db/postgres/open.ts';
import { PostgresJobEvents } from '../../src/jobs/events/postgres.ts';
import { jobEvent } from '../../src/jobs/events.ts';
import { silentLog } from '../job-queue.ts';

// Publishes events until it is stopped, and prints the number of each stored event.
const [url = '', name = ''] = process.argv.slice(2);
const { db } = await openPostgres({ url });
const events = new PostgresJobEvents({ db, bus: createLocalCluster().bus, log: silentLog });
let isStopping = false;
process.stdin
  .on('data', () => {
    isStopping = true;
  })
  .on('end', () => process.exit())
  .resume();
for (let percent = 0; !isStopping; ) {
  const batch = Array.from({ length: 5 }, () => percent++);
  await Promise.all(batch.map((one) => events.publish(jobEvent.progress(name, one))));
  process.stdout.write(`${percent}\n`);
}
process.stdout.write('done\n');
