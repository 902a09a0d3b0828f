import { joinPostgresCluster } from '../../../src/cluster/postgres.ts';
import { createLog } from '../../../src/log.ts';

const [url = '', key = ''] = process.argv.slice(2);
const log = createLog({ level: 'silent', format: 'json' });
const { once } = await joinPostgresCluster({ url, log, probeMs: 30_000 });
// It ends with its parent.
process.stdin.on('end', () => process.exit()).resume();
await once.run(
  key,
  async () => undefined,
  () => {
    process.stdout.write('working\n');
    return new Promise(() => undefined);
  },
);
