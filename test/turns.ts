/** Counts the turns of the event loop during some work, in each of which other work can run. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let next = setImmediate(function count() {
    turns++;
    next = setImmediate(count);
  });
  await work();
  clearImmediate(next);
  return turns;
}
