import { test } from 'vitest';
import { WakeSignal } from './wake-signal.ts';

test('a wake between arming and waiting is not lost', async () => {
  const signal = new WakeSignal();
  signal.arm();
  signal.wake();
  await signal.wait(60_000);
});
