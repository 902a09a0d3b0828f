import { useSyncExternalStore } from 'react';
import { onOutage } from '../availability.ts';
import { filesChanged } from '../batch.ts';
import { answerOtherTabs, storeUnfinished, uploadsAdded } from './interrupted.ts';
import { addNews } from './news.ts';
import { UploadQueue } from './queue.ts';
import { discardResumable } from './resumable.ts';
import { sendFiles } from './send.ts';
import type { Summary } from './summary.ts';
import { firstUnfinished, isUnfinished, type Upload } from './upload.ts';

/** Interval of progress updates, rather than one per packet. */
const NOTIFY_MS = 120;
/** Interval of listing refreshes while files arrive. */
const REFRESH_MS = 1500;

const settledListeners = new Set<(uploads: readonly Upload[]) => void>();

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
  onSettled(uploads) {
    addNews(uploads);
    for (const listener of settledListeners) listener(uploads);
  },
});

let summary: Summary = uploadQueue.summary();
const listeners = new Set<() => void>();
const notify = atMostEvery(NOTIFY_MS, () => {
  summary = uploadQueue.summary();
  for (const listener of listeners) listener();
});
uploadQueue.subscribe(notify);

const unfinished = () => uploadQueue.uploads.filter(isUnfinished);
uploadQueue.subscribe(() => uploadsAdded(unfinished));
answerOtherTabs(unfinished);
addEventListener('pagehide', () => storeUnfinished(uploadQueue.uploads));

/** True while uploads wait for the connection, not for the person who paused them. */
let isCut = false;
function setCut(isNowCut: boolean): void {
  if (isNowCut === isCut || (isNowCut && uploadQueue.isPaused)) return;
  isCut = isNowCut;
  if (isCut) uploadQueue.pause();
  else uploadQueue.resume();
}
addEventListener('offline', () => setCut(true));
addEventListener('online', () => setCut(false));
onOutage(setCut);
addEventListener('beforeunload', (event) => {
  if (summary.isActive) event.preventDefault();
});

/** Subscribes to files that are done, have failed, or were left out. */
export function onSettled(listener: (uploads: readonly Upload[]) => void): void {
  settledListeners.add(listener);
}

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

/** Resolves once no upload waits or is sent any more. */
export function whenOver(uploads: readonly Upload[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let next = 0;
  const look = () => {
    next = firstUnfinished(uploads, next);
    if (next < uploads.length) return;
    unsubscribe();
    resolve();
  };
  const unsubscribe = uploadQueue.subscribe(look);
  look();
  return promise;
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
