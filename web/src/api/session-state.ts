import { useSyncExternalStore } from 'react';

/** Whether the session has ended while the page is open. The page stays; a dialog asks to sign in again. */
let isLost = false;
let waiting: (() => void)[] = [];
const listeners = new Set<() => void>();

function set(value: boolean): void {
  isLost = value;
  for (const notify of listeners) notify();
}

/** Resolves when somebody has signed in again; rejects when the request that waits is no longer wanted. */
export function sessionLost(signal?: AbortSignal): Promise<void> {
  if (!isLost) set(true);
  return new Promise((resolve, reject) => {
    waiting.push(resolve);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Lets everything go on that has waited. */
export function sessionFound(): void {
  const ready = waiting;
  waiting = [];
  set(false);
  for (const go of ready) go();
}

export function useIsSessionLost(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isLost,
  );
}
