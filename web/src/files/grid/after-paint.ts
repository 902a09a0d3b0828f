const waiting = new Set<() => void>();

/** Does work when the next frame has been painted, all that waits for it at once. Returns what takes it back. */
export function afterPaint(work: () => void): () => void {
  // What a frame sets off runs after it.
  if (waiting.size === 0) requestAnimationFrame(() => setTimeout(doAll));
  waiting.add(work);
  return () => void waiting.delete(work);
}

function doAll(): void {
  const all = [...waiting];
  waiting.clear();
  for (const work of all) work();
}
