import { useSyncExternalStore } from 'react';
import type { Upload } from './upload.ts';

/** Names that are said; further ones are counted. */
const MAX_NAMES = 3;
/** Interval of announcements: a screen reader could not follow each of thousands of files. */
const SAY_MS = 2000;

/** Files that have settled since the last announcement. */
export interface News {
  names: readonly string[];
  count: number;
}

/** Uploaded files, and those that were refused or left out with the reason. */
export interface UploadNews {
  done: News;
  failed: News & { reasons: readonly string[] };
}

const NOTHING: UploadNews = { done: { names: [], count: 0 }, failed: { names: [], reasons: [], count: 0 } };

let said: UploadNews = NOTHING;
let collected: UploadNews = NOTHING;
let isPlanned = false;
const listeners = new Set<() => void>();

/** Adds uploads to the next announcement. */
export function addNews(uploads: readonly Upload[]): void {
  collected = collect(collected, uploads);
  if (isPlanned) return;
  isPlanned = true;
  setTimeout(() => {
    isPlanned = false;
    said = collected;
    collected = NOTHING;
    for (const notify of listeners) notify();
  }, SAY_MS);
}

/** The last announcement. */
export function useUploadNews(): UploadNews {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => said,
  );
}

export function collect({ done, failed }: UploadNews, uploads: readonly Upload[]): UploadNews {
  const arrived = uploads.filter(({ state }) => state === 'done');
  const refused = uploads.filter(({ state }) => state !== 'done');
  return {
    done: add(done, arrived),
    failed: {
      ...add(failed, refused),
      reasons: [...failed.reasons, ...refused.map(({ error = '' }) => error)].slice(0, MAX_NAMES),
    },
  };
}

const add = ({ names, count }: News, uploads: readonly Upload[]): News => ({
  names: [...names, ...uploads.map(({ name }) => name)].slice(0, MAX_NAMES),
  count: count + uploads.length,
});
