import { useSyncExternalStore } from 'react';
import { filesChanged } from '../batch.ts';
import { type Summary, UploadQueue } from './queue.ts';
import { discardResumable } from './resumable.ts';
import { sendFiles } from './send.ts';

/** Interval of progress updates, rather than one per packet. */
const NOTIFY_MS = 120;
/** Interval of listing refreshes while files arrive. */
const REFRESH_MS = 1500;

/** Upload queue of this tab. */
export const uploadQueue = new UploadQueue({
  send: sendFiles,
  wait: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    }),
  onArrived: atMostEvery(REFRESH_MS, filesChanged),
  onCancelled: (upload) => void discardResumable(upload),
});

let summary: Summary = uploadQueue.summary();
const listeners = new Set<() => void>();
const notify = atMostEvery(NOTIFY_MS, () => {
  summary = uploadQueue.summary();
  for (const listener of listeners) listener();
});
uploadQueue.subscribe(notify);

addEventListener('offline', () => uploadQueue.pause());
addEventListener('online', () => uploadQueue.resume());
addEventListener('beforeunload', (event) => {
  if (summary.isActive) event.preventDefault();
});

/** Upload summary; a new object after every change. */
export function useUploads(): Summary {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => summary,
  );
}

/** Throttles a function: calls within the interval are merged. */
function atMostEvery(ms: number, call: () => void): () => void {
  let isPlanned = false;
  const run = () => {
    isPlanned = false;
    call();
  };
  return () => {
    if (!isPlanned) setTimeout(run, ms);
    isPlanned = true;
  };
}
