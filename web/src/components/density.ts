import { useSyncExternalStore } from 'react';

export type Density = 'comfortable' | 'compact';

const KEY = 'darkroom-density';
const listeners = new Set<() => void>();
let chosen: Density | undefined;

function current(): Density {
  if (chosen !== undefined) return chosen;
  try {
    chosen = localStorage.getItem(KEY) === 'compact' ? 'compact' : 'comfortable';
  } catch {
    chosen = 'comfortable';
  }
  return chosen;
}

/** Stored in this browser only. */
export function setDensity(density: Density): void {
  chosen = density;
  try {
    if (density === 'comfortable') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, density);
  } catch {
    // Without storage the density lasts as long as the page.
  }
  for (const notify of listeners) notify();
}

/** Size of tiles and rows in the library. */
export function useDensity(): Density {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, current);
}
