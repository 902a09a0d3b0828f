const waiting = new Set<() => void>();

/** Runs work after the next paint, together with other waiting work. @returns cancels it */
export function afterPaint(work: () => void): () => void {
  // A task queued in a frame runs after its paint.
  if (waiting.size === 0) requestAnimationFrame(() => setTimeout(doAll));
  waiting.add(work);
  return () => void waiting.delete(work);
}

function doAll(): void {
  const all = [...waiting];
  waiting.clear();
  for (const work of all) work();
}
