import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { installationUrlOf } from './base.ts';

/** Delays before the tries to reach the service; the last one repeats. */
const DELAYS_MS = [1000, 2000, 4000, 8000, 15_000, 30_000];
const TRY_TIMEOUT_MS = 10_000;

/** The service is unreachable. */
export interface Outage {
  /** Time of the next try, as `Date.now()`. */
  nextTryAt: number;
  isTrying: boolean;
}

let outage: Outage | undefined;
let tries = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let probing: Promise<boolean> | undefined;
const listeners = new Set<(isAway: boolean) => void>();

function set(next: Outage | undefined): void {
  outage = next;
  for (const notify of listeners) notify(next !== undefined);
}

/** Notifies of the beginning, each try and the end of an outage. @returns unsubscribes */
export function onOutage(listener: (isAway: boolean) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The present outage; undefined while the service answers. */
export function useOutage(): Outage | undefined {
  return useSyncExternalStore(onOutage, () => outage);
}

/** True for a response of the service itself, not of a proxy in front of it. */
function isOwn({ status, headers }: Pick<Response, 'status' | 'headers'>): boolean {
  return status < 502 || headers.has('X-Request-Id');
}

/** Reports a response: the service answers, or only a proxy does. */
export function serviceAnswered(response: Response): void {
  if (!isOwn(response)) serviceFailed();
  else if (outage !== undefined) end();
}

/** Reports a request without a response. One may be lost, so the service is asked once more. */
export function serviceFailed(): void {
  if (outage !== undefined) onlineManager.setOnline(false);
  else if (navigator.onLine) void isServiceThere();
}

/** Asks the service; begins an outage if it does not answer, and ends it if it does. */
export function isServiceThere(): Promise<boolean> {
  clearTimeout(timer);
  if (outage !== undefined) set({ ...outage, isTrying: true });
  probing ??= probe().then((isThere) => {
    probing = undefined;
    if (!isThere) plan();
    else if (outage !== undefined) end();
    return isThere;
  });
  return probing;
}

async function probe(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(TRY_TIMEOUT_MS);
    return isOwn(await fetch(installationUrlOf('livez'), { cache: 'no-store', signal }));
  } catch {
    return false;
  }
}

function plan(): void {
  // Queries wait instead of failing, and what they have shown stays.
  onlineManager.setOnline(false);
  const delay = DELAYS_MS[Math.min(tries++, DELAYS_MS.length - 1)] ?? 0;
  clearTimeout(timer);
  timer = setTimeout(isServiceThere, delay);
  set({ nextTryAt: Date.now() + delay, isTrying: false });
}

function end(): void {
  clearTimeout(timer);
  tries = 0;
  set(undefined);
  onlineManager.setOnline(navigator.onLine);
}

const tryAgain = () => {
  if (outage !== undefined && !document.hidden) void isServiceThere();
};
addEventListener('online', tryAgain);
document.addEventListener('visibilitychange', tryAgain);
