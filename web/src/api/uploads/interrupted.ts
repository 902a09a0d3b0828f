import { useSyncExternalStore } from 'react';
import { root, urlOf } from '../base.ts';
import { isUnfinished, type Upload } from './upload.ts';

/** What identifies an upload in another document: the file itself is gone with the page. */
export interface UploadIdentity {
  folder: string;
  name: string;
  size: number;
  lastModified: number;
  transformations: readonly string[];
}

/** An upload of a page that was closed or reloaded. */
export interface Interrupted extends UploadIdentity {
  replaces: boolean;
  /** Bytes that have arrived. */
  sent: number;
  /** URL of a resumable upload, and where tus has stored it. */
  resumable?: { url: string; key: string };
}

/** Uploads that are offered. Further ones are still resumed when their files are chosen again. */
const MAX_RESUMABLE = 20;
/** Stored uploads that begin anew. */
const MAX_STORED = 200;
/** The service deletes unfinished uploads after a day. */
const MAX_AGE_MS = 24 * 60 * 60 * 1000;
/** Other tabs answer sooner. */
const ANSWER_MS = 300;

/** Prefix of the keys of `tus-js-client`, which stores the URLs of unfinished uploads. */
const TUS = 'tus::';
const fingerprintPrefix = () => `darkroom ${urlOf('')} `;
const STORED = `darkroom-interrupted ${root}`;

export function identityOf({ folder, name, file, transformations = [] }: Upload): UploadIdentity {
  return { folder, name, size: file.size, lastModified: file.lastModified, transformations };
}

/** Key under which tus stores an upload; it resumes one with the same key. */
export function fingerprintOf({ folder, name, size, lastModified, transformations }: UploadIdentity): string {
  return fingerprintPrefix() + JSON.stringify([folder, name, size, lastModified, ...transformations]);
}

/** Identity of a file for its folder, however it is prepared. */
const keyOf = (one: UploadIdentity) => fingerprintOf({ ...one, transformations: [] });

/** Identity in a key of tus; undefined for keys of other programs and spaces. */
export function readFingerprint(key: string, prefix = fingerprintPrefix()): UploadIdentity | undefined {
  const begin = TUS + prefix;
  if (!key.startsWith(begin)) return undefined;
  try {
    const [folder, name, size, lastModified, ...transformations] = JSON.parse(
      key.slice(begin.length, key.lastIndexOf('::')),
    );
    return { folder, name, size, lastModified, transformations };
  } catch {
    return undefined;
  }
}

let interrupted: readonly Interrupted[] = [];
const listeners = new Set<() => void>();

function set(next: readonly Interrupted[]): void {
  interrupted = next;
  for (const notify of listeners) notify();
}

/** Uploads to offer again. */
export function useInterrupted(): readonly Interrupted[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => interrupted,
  );
}

const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('darkroom-uploads');

/** Offers the uploads that a former page has left. */
export async function findInterrupted(): Promise<void> {
  const resumable = readResumable();
  const stored = readStored();
  if (resumable.length + stored.length === 0) return;
  const elsewhere = await uploadsElsewhere();
  const own = [...resumable, ...stored].filter((one) => !elsewhere.has(keyOf(one)));
  const found = await Promise.all(own.map(withProgress));
  const byKey = new Map(found.flatMap((one) => (one ? [[keyOf(one), one] as const] : [])).reverse());
  set([...byKey.values()].reverse());
}

function readResumable(): Interrupted[] {
  const found = keysOf().flatMap((key) => {
    const identity = readFingerprint(key);
    const { uploadUrl, creationTime } = identity ? parse(key) : {};
    if (identity === undefined || typeof uploadUrl !== 'string') return [];
    const resumable = { url: uploadUrl, key };
    return [{ ...identity, replaces: false, sent: 0, resumable, begun: Date.parse(String(creationTime)) }];
  });
  return found.sort((one, other) => other.begun - one.begun).slice(0, MAX_RESUMABLE);
}

function readStored(): Interrupted[] {
  const { at, uploads } = parse(STORED) as { at?: number; uploads?: Interrupted[] };
  if (!Array.isArray(uploads) || !(Date.now() - Number(at) < MAX_AGE_MS)) return [];
  return uploads;
}

/** Bytes that the service has; undefined for an upload that it has completed or deleted. */
async function withProgress(one: Interrupted): Promise<Interrupted | undefined> {
  if (!one.resumable) return one;
  const { url, key } = one.resumable;
  const answer = await tusRequest('HEAD', url);
  const sent = Number(answer?.headers.get('Upload-Offset') ?? 0);
  if ((answer?.ok && sent < one.size) || ![200, 404, 410].includes(answer?.status ?? 0)) return { ...one, sent };
  remove(key);
  return undefined;
}

const tusRequest = (method: 'HEAD' | 'DELETE', url: string) =>
  fetch(url, { method, headers: { 'Tus-Resumable': '1.0.0' } }).catch(() => undefined);

/** Adds the uploads of a page that is about to end to the stored ones, except those that tus has stored. */
export function storeUnfinished(uploads: readonly Upload[]): void {
  const resumable = new Set(keysOf().map((key) => key.slice(TUS.length, key.lastIndexOf('::'))));
  const left = uploads
    .filter(isUnfinished)
    .map((upload) => ({ ...identityOf(upload), replaces: upload.replaces, sent: 0 }))
    .filter((one) => !resumable.has(fingerprintOf(one)));
  // What another tab has stored stays: this one may have no uploads, or may not have read it yet.
  const own = new Set(left.map(keyOf));
  if (left.length > 0) store([...left, ...readStored().filter((one) => !own.has(keyOf(one)))]);
}

function store(uploads: readonly Interrupted[]): void {
  try {
    if (uploads.length === 0) localStorage.removeItem(STORED);
    else localStorage.setItem(STORED, JSON.stringify({ at: Date.now(), uploads: uploads.slice(0, MAX_STORED) }));
  } catch {
    // Without storage nothing is offered.
  }
}

/** Offers no longer what is uploaded again. */
export function uploadsAdded(unfinished: () => readonly Upload[]): void {
  if (interrupted.length === 0) return;
  const added = new Set(unfinished().map((upload) => keyOf(identityOf(upload))));
  const rest = interrupted.filter((one) => !added.has(keyOf(one)));
  if (rest.length === interrupted.length) return;
  store(rest.filter((one) => one.resumable === undefined));
  set(rest);
}

/** Offers nothing any more, and deletes what the service has. */
export function dismissInterrupted(): void {
  remove(STORED);
  for (const { resumable } of interrupted) {
    if (!resumable) continue;
    remove(resumable.key);
    void tusRequest('DELETE', resumable.url);
  }
  set([]);
}

/** Keys of uploads that other tabs are sending. */
async function uploadsElsewhere(): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  if (!channel) return found;
  const collect = ({ data }: MessageEvent) => {
    if (Array.isArray(data)) for (const key of data) found.add(String(key));
  };
  channel.addEventListener('message', collect);
  channel.postMessage('unfinished?');
  await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
  channel.removeEventListener('message', collect);
  return found;
}

/** Answers other tabs. */
export function answerOtherTabs(unfinished: () => readonly Upload[]): void {
  channel?.addEventListener('message', ({ data }) => {
    if (data !== 'unfinished?') return;
    const keys = unfinished().map((upload) => keyOf(identityOf(upload)));
    if (keys.length > 0) channel.postMessage(keys);
  });
}

function keysOf(): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(TUS));
  } catch {
    return [];
  }
}

function parse(key: string): Record<string, unknown> {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '{}') ?? {};
  } catch {
    return {};
  }
}

function remove(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // Nothing was stored.
  }
}
