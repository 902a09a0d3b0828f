/** Bits from the highest to the lowest; zeros after the end. */
export class Bits {
  #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** How many bits have been taken. */
  get position(): number {
    return this.#at;
  }

  /** The lowest 32 bits of a number are right. */
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

  /** A number in the Exponential-Golomb code. */
  exponential(): number {
    let zeros = 0;
    while (zeros < 32 && !this.flag()) zeros++;
    return zeros < 32 ? 2 ** zeros - 1 + (this.take(zeros) >>> 0) : 0;
  }

  skipExponentials(count: number): void {
    for (let i = 0; i < count && !this.isOver(); i++) this.exponential();
  }

  /** Whether more has been taken than there is. */
  isOver(): boolean {
    return this.#at > this.#bytes.length * 8;
  }
}
