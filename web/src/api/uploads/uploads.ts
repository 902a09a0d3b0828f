import { useSyncExternalStore } from 'react';
import { filesChanged } from '../batch.ts';
import { type Summary, UploadQueue } from './queue.ts';
import { discardResumable } from './resumable.ts';
import { sendFiles } from './send.ts';

/** The page is told of progress so often, and not with each packet. */
const NOTIFY_MS = 120;
/** The library is read again so often while files arrive. */
const REFRESH_MS = 1500;

/** The one queue of this tab. */
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

/** How far the uploads are; another object whenever something has changed. */
export function useUploads(): Summary {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => summary,
  );
}

/** Calls a function soon, once for however many calls there were until then. */
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
