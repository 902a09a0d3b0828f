import { listenable } from '../components/listenable.ts';

/** True after the session was lost while the page is open. The page stays; a dialog offers to sign in. */
let isLost = false;
let waiting: (() => void)[] = [];
const listeners = listenable();

function set(value: boolean): void {
  isLost = value;
  listeners.notify();
}

/** Resolves after the next sign-in; rejects when the waiting request is aborted. */
export function sessionLost(signal?: AbortSignal): Promise<void> {
  if (!isLost) set(true);
  return new Promise((resolve, reject) => {
    waiting.push(resolve);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Resumes all waiting requests. */
export function sessionFound(): void {
  const ready = waiting;
  waiting = [];
  set(false);
  for (const go of ready) go();
}

export function useIsSessionLost(): boolean {
  return listeners.use(() => isLost);
}
