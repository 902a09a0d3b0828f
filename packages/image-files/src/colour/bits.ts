/** Bits from the highest to the lowest; zeros after the end. */
export class Bits {
  #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Bits read so far. */
  get position(): number {
    return this.#at;
  }

  /** Only the lowest 32 bits of a number are valid. */
  take(count: number): number {
    let value = 0;
    for (let i = 0; i < count && !this.isOver(); i++, this.#at++) {
      value = (value << 1) | (((this.#bytes[this.#at >> 3] ?? 0) >> (7 - (this.#at & 7))) & 1);
    }
    return value;
  }

  flag(): boolean {
    return this.take(1) === 1;
  }

  /** Reads an Exponential-Golomb number. */
  exponential(): number {
    let zeros = 0;
    while (zeros < 32 && !this.flag()) zeros++;
    return zeros < 32 ? 2 ** zeros - 1 + (this.take(zeros) >>> 0) : 0;
  }

  skipExponentials(count: number): void {
    for (let i = 0; i < count && !this.isOver(); i++) this.exponential();
  }

  /** True if more was read than available. */
  isOver(): boolean {
    return this.#at > this.#bytes.length * 8;
  }
}
