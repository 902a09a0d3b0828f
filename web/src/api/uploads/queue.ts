import { canRetry, needsDecision, type Summary, summaryOf } from './summary.ts';
import { isUnfinished, type Suggestion, type Tries, type Upload } from './upload.ts';

const BACKOFF_MS = [1000, 4000, 16_000];

export interface Refusal {
  error: string;
  isPassing: boolean;
  isHopeless?: boolean;
  retryAfter?: number | undefined;
  suggestion?: Suggestion;
}

/** Outcome of an upload. */
export type Result = { warning?: string; path?: string } | Refusal;

/** A file to upload. */
export interface NewUpload extends Pick<Upload, 'file' | 'folder' | 'name' | 'replaces' | 'transformations'> {
  /** Reason why it is not sent, but listed. */
  leftOut?: string | undefined;
}

/** Sends files of one folder in one request. Resolves to one result per file, in order. */
export type Send = (
  batch: readonly Upload[],
  onSent: (bytes: number) => void,
  signal: AbortSignal,
) => Promise<readonly Result[]>;

export interface QueueOptions {
  send: Send;
  /** Waits; rejects when aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Called after files have arrived. */
  onArrived(): void;
  /** Called after an upload was cancelled. */
  onCancelled(upload: Upload): void;
  /** Called with files that are done, have failed, or were left out. */
  onSettled?(uploads: readonly Upload[]): void;
}

/** Browsers open six connections per host; the page needs some of them. */
const MAX_REQUESTS = 3;
/** Files up to this size share a request. */
const SMALL_BYTES = 256 * 1024;
const MAX_BATCH = 20;

/** Files in one request share their transformations. */
const prewarmKey = ({ transformations = [] }: Upload) => transformations.join('\n');

/** Upload queue of the tab. It lives outside of the pages and survives navigation. */
export class UploadQueue {
  readonly #options: QueueOptions;
  readonly #uploads: Upload[] = [];
  readonly #running = new Map<readonly Upload[], AbortController>();
  readonly #listeners = new Set<() => void>();
  #lastId = 0;
  #lastBatch = 0;
  #batch = 0;
  /** No upload waits before this index. */
  #next = 0;
  #isPaused = false;
  #maxBatch = MAX_BATCH;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** All uploads in order. Always the same array. */
  get uploads(): readonly Upload[] {
    return this.#uploads;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Number of the last batch. */
  get batch(): number {
    return this.#batch;
  }

  /** Number for uploads that are added one after the other, and belong together. */
  newBatch(): number {
    return ++this.#lastBatch;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Limits the files of a request. @param most what the service accepts */
  limitBatch(most: number): void {
    this.#maxBatch = Math.max(1, Math.min(MAX_BATCH, most));
  }

  /**
   * Adds uploads to the running batch, or begins another one: what is over and needs no decision leaves the list.
   * @returns the new uploads, whose state changes
   */
  add(files: readonly NewUpload[], batch = this.newBatch()): readonly Upload[] {
    if (files.length > 0 && batch !== this.#batch && !this.#uploads.some(isUnfinished)) {
      this.#batch = batch;
      const kept = this.#uploads.filter(needsDecision);
      this.#uploads.splice(0, this.#uploads.length, ...kept);
      this.#next = 0;
    }
    const added = files.map(
      ({ leftOut, ...file }): Upload => ({
        ...file,
        id: ++this.#lastId,
        batch: this.#batch,
        state: leftOut === undefined ? 'waiting' : 'skipped',
        ...(leftOut !== undefined && { error: leftOut }),
        sent: 0,
        tries: 0,
        reached: 0,
      }),
    );
    for (const upload of added) this.#uploads.push(upload);
    this.#settled(added.filter(({ state }) => state === 'skipped'));
    this.#fill();
    return added;
  }

  pause(): void {
    this.#isPaused = true;
    for (const [batch, abort] of this.#running) {
      abort.abort();
      for (const upload of batch) this.#interrupted(upload);
    }
    this.#notify();
  }

  resume(): void {
    this.#isPaused = false;
    this.#fill();
  }

  /** Cancels one upload, or all unfinished ones. A shared request is restarted without it. */
  cancel(one?: Upload): void {
    for (const upload of one ? [one] : this.#uploads) {
      if (upload.state === 'sending') this.#interrupt(upload);
      if (upload.state !== 'waiting') continue;
      upload.state = 'cancelled';
      this.#options.onCancelled(upload);
    }
    this.#fill();
  }

  /** Retries one upload, or all failed ones for which that may help. */
  retry(one?: Upload): void {
    for (const upload of one ? [one] : this.#uploads) {
      if (upload.state === 'cancelled' || canRetry(upload)) this.#wait(upload);
      upload.tries = 0;
    }
    this.#fill();
  }

  /** Notes which version has the content that an upload has replaced; undefined once that is restored. */
  noteEarlier(upload: Upload, version: string | undefined): void {
    if (version === undefined) delete upload.earlier;
    else upload.earlier = version;
    this.#notify();
  }

  /** Notes why stored files cannot be decoded, and lists those again that have left the list. */
  noteProblems(problems: ReadonlyMap<Upload, string>): void {
    for (const [upload, problem] of problems) {
      upload.problem = problem;
      if (!this.#uploads.includes(upload)) this.#uploads.push(upload);
    }
    this.#notify();
  }

  /** Removes an upload that has ended from the list. */
  dismiss(upload: Upload): void {
    const at = this.#uploads.indexOf(upload);
    if (at === -1 || isUnfinished(upload)) return;
    this.#uploads.splice(at, 1);
    this.#next = 0;
    this.#notify();
  }

  /** Empties the list when no request runs. */
  clear(): void {
    if (this.#running.size > 0) return;
    this.#uploads.length = 0;
    this.#next = 0;
    this.#notify();
  }

  summary(): Summary {
    return summaryOf(this.#uploads, this.#batch, this.#isPaused);
  }

  #wait(upload: Upload): void {
    upload.state = 'waiting';
    upload.batch = this.#batch;
    upload.sent = 0;
    delete upload.error;
    this.#next = 0;
  }

  #interrupt(upload: Upload): void {
    for (const [batch, abort] of this.#running) {
      if (!batch.includes(upload)) continue;
      abort.abort();
      for (const one of batch) this.#interrupted(one);
    }
  }

  /** Other files of the same request may have arrived already. */
  #interrupted(upload: Upload): void {
    if (upload.state === 'sending') this.#wait(upload);
  }

  #fill(): void {
    while (!this.#isPaused && this.#running.size < MAX_REQUESTS) {
      const batch = this.#take();
      if (batch.length === 0) break;
      void this.#run(batch);
    }
    this.#notify();
  }

  /** Next upload, together with small ones that can share its request. */
  #take(): Upload[] {
    while (this.#uploads[this.#next]?.state !== 'waiting' && this.#next < this.#uploads.length) this.#next++;
    const first = this.#uploads[this.#next];
    if (first === undefined) return [];
    const batch = [first];
    const canShare = (one: Upload) =>
      one.file.size <= SMALL_BYTES &&
      !one.replaces &&
      one.folder === first.folder &&
      prewarmKey(one) === prewarmKey(first);
    for (let at = this.#next + 1; canShare(first) && batch.length < this.#maxBatch && at < this.#uploads.length; at++) {
      const other = this.#uploads[at];
      if (other?.state !== 'waiting' || !canShare(other)) break;
      if (!batch.some(({ name }) => name === other.name)) batch.push(other);
    }
    for (const upload of batch) upload.state = 'sending';
    return batch;
  }

  async #run(batch: readonly Upload[]): Promise<void> {
    const abort = new AbortController();
    this.#running.set(batch, abort);
    const whole = batch.reduce((sum, { file }) => sum + file.size, 0);
    const onSent = (bytes: number) => {
      if (abort.signal.aborted) return;
      const share = whole === 0 ? 1 : Math.min(1, bytes / whole);
      for (const upload of batch) upload.sent = Math.floor(upload.file.size * share);
      this.#notify();
    };
    try {
      const results = await this.#options.send(batch, onSent, abort.signal);
      if (!abort.signal.aborted) await this.#settle(batch, results, abort.signal);
    } catch {
      // Interrupted: its files wait again or are cancelled.
    }
    this.#running.delete(batch);
    this.#fill();
  }

  async #settle(batch: readonly Upload[], results: readonly Result[], signal: AbortSignal): Promise<void> {
    let delay: number | undefined;
    const again: Upload[] = [];
    for (const [at, upload] of batch.entries()) {
      const result = results[at] ?? {};
      if (!('error' in result)) {
        upload.state = 'done';
        if (result.warning !== undefined) upload.warning = result.warning;
        if (result.path !== undefined) upload.path = result.path;
        continue;
      }
      const wait = result.isPassing ? waitAfter(upload, result.retryAfter) : undefined;
      if (wait !== undefined) {
        delay = wait;
        again.push(upload);
      } else fail(upload, result);
    }
    if (again.length < batch.length) this.#options.onArrived();
    this.#settled(batch.filter((upload) => !again.includes(upload)));
    this.#notify();
    if (delay === undefined) return;
    await this.#options.wait(delay, signal);
    for (const upload of again) this.#wait(upload);
  }

  #settled(uploads: readonly Upload[]): void {
    if (uploads.length > 0) this.#options.onSettled?.(uploads);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

function fail(upload: Upload, { error, isHopeless = false, suggestion }: Refusal): void {
  upload.state = 'failed';
  upload.error = error;
  upload.isHopeless = isHopeless;
  if (suggestion) upload.suggestion = suggestion;
}

/**
 * Records a failed attempt.
 * @param retryAfter seconds requested by the service
 * @returns delay in ms; undefined after too many attempts
 */
function waitAfter(file: Tries, retryAfter: number | undefined): number | undefined {
  if (file.sent > file.reached) file.tries = 0;
  file.reached = Math.max(file.reached, file.sent);
  const wait = BACKOFF_MS[file.tries++];
  return wait === undefined || retryAfter === undefined ? wait : retryAfter * 1000;
}
