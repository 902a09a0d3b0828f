import { expect, test } from 'vitest';
import { Alarm } from './alarm.ts';

test('an alarm never rings before the clock of the system shows its time', async () => {
  for (let round = 0; round < 200; round++) {
    const alarm = new Alarm();
    const due = Date.now() + 2;
    alarm.ringIn(2);
    await alarm.wait(60_000);
    expect(Date.now()).toBeGreaterThanOrEqual(due);
  }
});

test('a ring between arming and waiting is not lost', async () => {
  const alarm = new Alarm();
  alarm.arm();
  alarm.ring();
  await alarm.wait(60_000);
});
