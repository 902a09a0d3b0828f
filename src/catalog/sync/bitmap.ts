/** A set of non-negative integers, with one bit for each up to the largest. */
export class Bitmap {
  #bytes = new Uint8Array(1024);

  add(n: number): void {
    const at = Math.floor(n / 8);
    if (at >= this.#bytes.length) {
      const larger = new Uint8Array(Math.max(at + 1, this.#bytes.length * 2));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[at] = (this.#bytes[at] ?? 0) | (1 << (n % 8));
  }

  has(n: number): boolean {
    return ((this.#bytes[Math.floor(n / 8)] ?? 0) & (1 << (n % 8))) !== 0;
  }
}
