import { expect, test } from 'vitest';
import { TRUSTED } from '../../client.ts';
import { HttpProblem } from '../../errors.ts';
import { TempBudget } from '../../storage/temp-budget.ts';
import { type HeldBytes, UploadBytes } from './upload-bytes.ts';

const MB = 1024 * 1024;

/** Adds a megabyte to each upload in turn, until none gets further. */
function fill(bytes: UploadBytes, uploads: readonly HeldBytes[]): void {
  const grows = (held: HeldBytes) => {
    if (held.received === held.length) return false;
    try {
      bytes.reserve(held, MB);
    } catch (error) {
      if (error instanceof HttpProblem) return false;
      throw error;
    }
    bytes.receive(held, MB);
    return true;
  };
  while (uploads.map(grows).includes(true));
}

test('a file of the largest size fits into what anonymous uploads have, whatever the size', () => {
  for (let megabytes = 1; megabytes <= 90; megabytes++) {
    const budget = new TempBudget({ max: 100 * MB, maxPerClient: 90 * MB });
    const bytes = new UploadBytes(budget, megabytes * MB);
    for (const client of ['c', TRUSTED] as const) {
      expect(() => bytes.assertCapacity(megabytes * MB, client), `${megabytes} MB`).not.toThrow();
    }
  }
});

test('uploads of one client that exceed its temporary room together do not block each other', () => {
  const bytes = new UploadBytes(new TempBudget({ max: 1000 * MB, maxPerClient: 100 * MB }), 60 * MB);
  const uploads = [1, 2].map(() => bytes.add({ length: 60 * MB, client: 'c', received: 0, progressAt: 0 }));
  fill(bytes, uploads);
  expect(uploads.filter(({ received, length }) => received === length)).toHaveLength(1);
});
