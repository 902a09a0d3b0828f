/** Most peaks in memory, for audio of any length: many times the columns of the widest image. */
const MAX_PEAKS = 2 ** 17;
const BYTES = 2;
const LOWEST = -32_768;
const HIGHEST = 32_767;

/**
 * Collects the highest and lowest sample of each moment while audio streams by; the loudest channel counts. Memory is
 * bounded: for long audio, neighbouring peaks are merged.
 */
export class Peaks {
  readonly #high = new Int16Array(MAX_PEAKS);
  readonly #low = new Int16Array(MAX_PEAKS);
  #count = 0;
  /** Samples per peak, and samples read for the next one. */
  #samples: number;
  #begun = 0;
  #nextHigh = LOWEST;
  #nextLow = HIGHEST;
  /** First byte of a sample whose second byte is in the next chunk. */
  #rest: Buffer = Buffer.alloc(0);

  constructor(channels: number) {
    this.#samples = channels;
  }

  /** @param chunk interleaved 16-bit samples, little-endian */
  add(chunk: Buffer): void {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    const samples = new Int16Array(Math.floor(bytes.length / BYTES));
    bytes.copy(Buffer.from(samples.buffer));
    this.#rest = bytes.subarray(samples.length * BYTES);
    for (let at = 0; at < samples.length; ) {
      const end = Math.min(samples.length, at + this.#samples - this.#begun);
      this.#begun += end - at;
      this.#scan(samples, at, end);
      at = end;
      if (this.#begun === this.#samples) this.#close();
    }
  }

  get isEmpty(): boolean {
    return this.#count === 0 && this.#begun === 0;
  }

  /** Returns the peaks of parts of equal length, from -1 to 1. */
  in(parts: number): { low: number; high: number }[] {
    if (this.#begun > 0) this.#close();
    const share = this.#count / parts;
    return Array.from({ length: parts }, (_, part) => {
      const first = Math.min(this.#count - 1, Math.floor(part * share));
      const end = Math.max(first + 1, Math.floor((part + 1) * share));
      const low = this.#low.subarray(first, end).reduce((least, value) => Math.min(least, value), HIGHEST);
      const high = this.#high.subarray(first, end).reduce((most, value) => Math.max(most, value), LOWEST);
      // The negative range has one more value.
      return { low: Math.max(-1, low / HIGHEST), high: Math.max(-1, high / HIGHEST) };
    });
  }

  #scan(samples: Int16Array, first: number, end: number): void {
    let high = this.#nextHigh;
    let low = this.#nextLow;
    for (let at = first; at < end; at++) {
      const sample = samples[at] as number;
      if (sample > high) high = sample;
      if (sample < low) low = sample;
    }
    this.#nextHigh = high;
    this.#nextLow = low;
  }

  #close(): void {
    this.#high[this.#count] = this.#nextHigh;
    this.#low[this.#count] = this.#nextLow;
    this.#count++;
    this.#begun = 0;
    this.#nextHigh = LOWEST;
    this.#nextLow = HIGHEST;
    if (this.#count === MAX_PEAKS) this.#halve();
  }

  #halve(): void {
    this.#count = MAX_PEAKS / 2;
    this.#samples *= 2;
    for (let at = 0; at < this.#count; at++) {
      this.#high[at] = Math.max(this.#high[2 * at] as number, this.#high[2 * at + 1] as number);
      this.#low[at] = Math.min(this.#low[2 * at] as number, this.#low[2 * at + 1] as number);
    }
  }
}
