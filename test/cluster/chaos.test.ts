import { expect, test } from 'vitest';
import { newDatabase } from '../postgres/database.ts';
import { newBucket } from '../s3/bucket.ts';
import { runChaos } from './chaos/chaos.ts';
import { describeOnBoth } from './nodes.ts';

const TIMEOUT_MS = 300_000;

describeOnBoth('nodes that are killed while files are stored, transcoded and deleted', () => {
  test(
    'lose nothing that was acknowledged, do no job twice and count right',
    async () => {
      const order = { nodes: 2, rounds: 3, seed: 20_261 };
      const { problems } = await runChaos({ databaseUrl: await newDatabase(), bucket: await newBucket(), ...order });
      expect(problems).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
