import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import type { Random } from '../../fuzz/seeded-random.ts';
import { TEST_KEY } from '../../service.ts';

/** Changes that the installation has acknowledged, and must therefore preserve. */
export class Promises {
  /** The SHA-256 of the files that must exist, by path. */
  readonly stored = new Map<string, string>();
  /** Paths that must stay empty. */
  readonly deleted = new Set<string>();
  /** URL paths of accepted transcodes. */
  readonly transcodes = new Set<string>();
  readonly problems: string[] = [];
  /** Number of requests with a response, and without one because the node was killed. */
  answered = 0;
  unanswered = 0;
}

export interface VisitorsOptions {
  /** Returns the addresses of the nodes, including those that are down. */
  urls(): readonly string[];
  film: Uint8Array;
  random: Random;
  signal: AbortSignal;
}

const HEADERS = { authorization: `Bearer ${TEST_KEY}` };
const ANSWER_MS = 60_000;
/**
 * Pause in ms after a refused connection: a node that is down refuses immediately, and needs no thousand attempts a
 * second.
 */
const REFUSED_PAUSE_MS = 50;

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Clients that store, view, transcode and delete through all nodes, and record the acknowledged changes. */
export class Visitors {
  readonly promises = new Promises();
  readonly #options: VisitorsOptions;
  #names = 0;

  constructor(options: VisitorsOptions) {
    this.#options = options;
  }

  /** Runs until the signal aborts. */
  async run(): Promise<void> {
    const acts = [this.#storePicture, this.#storePicture, this.#remove, this.#look, this.#look, this.#transcode];
    await Promise.all(acts.map((act) => this.#repeat(() => act.call(this))));
  }

  async #repeat(act: () => Promise<void>): Promise<void> {
    while (!this.#options.signal.aborted) await act();
  }

  /** Undefined without a response. */
  async #ask(path: string, init: RequestInit = {}): Promise<Response | undefined> {
    const { urls, random } = this.#options;
    const signal = AbortSignal.timeout(ANSWER_MS);
    try {
      const response = await fetch(random.pick(urls()) + path, {
        headers: HEADERS,
        signal,
        redirect: 'manual',
        ...init,
      });
      this.promises.answered++;
      return response;
    } catch {
      this.promises.unanswered++;
      await pause(REFUSED_PAUSE_MS);
      return undefined;
    }
  }

  /** A change without an acknowledgement may be stored or not, so it is not recorded. */
  async #store(name: string, bytes: Uint8Array): Promise<string | undefined> {
    const form = new FormData();
    form.append('files', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
    const response = await this.#ask('/upload', { method: 'POST', body: form });
    if (response?.status !== 200) return undefined;
    const body = (await response.json().catch(() => undefined)) as { files?: { path: string }[] } | undefined;
    const path = body?.files?.[0]?.path;
    if (path !== undefined) this.promises.stored.set(path, sha256(bytes));
    return path;
  }

  async #storePicture(): Promise<void> {
    const { random } = this.#options;
    const noise = Buffer.from(Array.from({ length: 16 * 16 * 3 }, () => random.below(256)));
    const bytes = await sharp(noise, { raw: { width: 16, height: 16, channels: 3 } })
      .png()
      .toBuffer();
    await this.#store(`picture-${this.#names++}.png`, bytes);
  }

  async #remove(): Promise<void> {
    const path = this.#pickPicture();
    if (path === undefined) return pause(REFUSED_PAUSE_MS);
    // No client may rely on it from now on.
    this.promises.stored.delete(path);
    const response = await this.#ask(`/storage/${path}`, { method: 'DELETE' });
    if (response?.status === 200) this.promises.deleted.add(path);
    if (response?.status === 404) this.promises.problems.push(`${path} was stored and is not there to be deleted`);
    await response?.body?.cancel().catch(() => undefined);
  }

  async #look(): Promise<void> {
    const path = this.#pickPicture();
    if (path === undefined) return pause(REFUSED_PAUSE_MS);
    const { random } = this.#options;
    const response = await this.#ask(`/t/w_${1 + random.below(16)},f_png/${path}`);
    const isRelied = this.promises.stored.has(path);
    if (response && isRelied && response.status !== 200)
      this.promises.problems.push(`a picture of ${path} was answered with ${response.status}`);
    await response?.arrayBuffer().catch(() => undefined);
  }

  async #transcode(): Promise<void> {
    const { film } = this.#options;
    const path = await this.#store(`film-${this.#names++}.mp4`, film);
    if (path === undefined) return;
    const url = `/t/w_32/${path}`;
    const response = await this.#ask(url);
    if (response?.status === 202 || response?.status === 200) this.promises.transcodes.add(url);
    await response?.arrayBuffer().catch(() => undefined);
  }

  #pickPicture(): string | undefined {
    const pictures = [...this.promises.stored.keys()].filter((path) => path.endsWith('.png'));
    return pictures.length === 0 ? undefined : this.#options.random.pick(pictures);
  }
}
