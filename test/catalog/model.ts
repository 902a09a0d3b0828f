import fc from 'fast-check';

/** Changes of a library between two checks: by the service, by other programs, or to the service. */
const FOLDERS = ['', 'f', 'f/g', 'h'];
const NAMES = ['a.png', 'b.png', 'ü.txt'];

const join = (parent: string, name: string) => (parent === '' ? name : `${parent}/${name}`);
const file = fc
  .tuple(fc.constantFrom(...FOLDERS), fc.constantFrom(...NAMES))
  .map(([folder, name]) => join(folder, name));
const folder = fc.constantFrom(...FOLDERS.filter((one) => one !== ''), 'z', 'f/y');

const changes = [
  fc.record({ type: fc.constant('write' as const), path: file }),
  fc.record({ type: fc.constant('remove' as const), path: file }),
  fc.record({ type: fc.constant('move' as const), path: file, to: file }),
  fc.record({ type: fc.constant('createFolder' as const), path: folder }),
  fc.record({ type: fc.constant('moveFolder' as const), path: folder, to: folder }),
  fc.record({ type: fc.constant('removeFolder' as const), path: folder }),
];
const change = fc.oneof(...changes);
const copy = fc.record({ type: fc.constant('copy' as const), path: file, to: file });
const ownChange = fc.oneof({ weight: 6, arbitrary: change }, { weight: 2, arbitrary: copy });
export type Change = typeof ownChange extends fc.Arbitrary<infer T> ? T : never;

export const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ by: fc.constant('service' as const), change: ownChange }) },
  { weight: 6, arbitrary: fc.record({ by: fc.constant('others' as const), change }) },
  // The process ends before or after the store has changed, and another one starts.
  { weight: 2, arbitrary: fc.record({ by: fc.constant('killed' as const), change: ownChange, isDone: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ by: fc.constant('restart' as const) }) },
  { weight: 3, arbitrary: fc.record({ by: fc.constant('words' as const), path: file }) },
  { weight: 3, arbitrary: fc.record({ by: fc.constant('list' as const), path: fc.constantFrom(...FOLDERS) }) },
  { weight: 1, arbitrary: fc.record({ by: fc.constant('reconcile' as const) }) },
);
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
