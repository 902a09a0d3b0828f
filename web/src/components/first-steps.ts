import { useSyncExternalStore } from 'react';
import { root } from '../api/base.ts';

/** `open`: linked in the navigation. `closed`: dismissed or done. Undefined where the library was never seen empty. */
export type FirstSteps = 'open' | 'closed' | undefined;

const STATE = `darkroom-first-steps ${root}`;
const COPIED = `darkroom-copied ${root}`;
/** URLs that deliver a file, alone or in code. */
const DELIVERY = /\/(t|authenticated)\//;

const values = new Map<string, string | null>();
const listeners = new Set<() => void>();

function read(key: string): string | null {
  if (!values.has(key)) {
    try {
      values.set(key, localStorage.getItem(key));
    } catch {
      values.set(key, null);
    }
  }
  return values.get(key) ?? null;
}

function write(key: string, value: string): void {
  if (read(key) === value) return;
  values.set(key, value);
  try {
    localStorage.setItem(key, value);
  } catch {
    // Without storage it lasts as long as the page.
  }
  for (const notify of listeners) notify();
}

const useValue = (key: string) =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => read(key),
  );

/** State of the checklist in this browser. */
export function useFirstSteps(): FirstSteps {
  return (useValue(STATE) ?? undefined) as FirstSteps;
}

export function closeFirstSteps(): void {
  write(STATE, 'closed');
}

/** Links the checklist, unless it was dismissed. */
export function openFirstSteps(): void {
  if (read(STATE) === null) write(STATE, 'open');
}

/** Remembers that the URL of a file was copied, alone or in code. */
export function rememberCopied(text: string): void {
  if (DELIVERY.test(text)) write(COPIED, '1');
}

/** True if the URL of a file was copied in this browser. */
export function useHasCopied(): boolean {
  return useValue(COPIED) !== null;
}
