/** How many bytes uploads may have on this machine's disk before they are stored, all of them together. */
export class TempBudget {
  readonly max: number;
  #used = 0;

  constructor(max: number) {
    this.max = max;
  }

  hasRoom(bytes: number): boolean {
    return this.#used + bytes <= this.max;
  }

  take(bytes: number): void {
    this.#used += bytes;
  }

  give(bytes: number): void {
    this.#used -= bytes;
  }
}
