import { jsonText, plain } from './printable.ts';
import type { Outcome } from './send.ts';

const MEGABYTE = 1024 * 1024;

/** Progress and summary of an upload. */
export class Report {
  readonly #counts = { new: 0, same: 0, failed: 0 };
  readonly #all: { files: number; bytes: number };
  readonly #isJson: boolean;
  #bytes = 0;

  /** @param isJson prints each outcome as a JSON line */
  constructor(all: readonly { size: number }[], isJson: boolean) {
    this.#all = { files: all.length, bytes: all.reduce((sum, { size }) => sum + size, 0) };
    this.#isJson = isJson;
  }

  /** Results go to standard output, everything else to standard error. */
  add(outcome: Outcome, size: number): void {
    this.#counts[outcome.status]++;
    this.#bytes += size;
    this.#clear();
    if (this.#isJson) process.stdout.write(`${jsonText(outcome)}\n`);
    else if (outcome.status === 'failed') process.stderr.write(`${plain(outcome.file)}: ${plain(outcome.error)}\n`);
    else if (outcome.status === 'new') process.stdout.write(`${plain(outcome.path)}\t${plain(outcome.url)}\n`);
    this.#progress();
  }

  /** @returns true if all files are in the library now */
  end(): boolean {
    const { new: added, same, failed } = this.#counts;
    this.#clear();
    process.stderr.write(`${added} new, ${same} the same, ${failed} failed.\n`);
    return failed === 0;
  }

  /** Only on a terminal. */
  #progress(): void {
    if (!process.stderr.isTTY) return;
    const { new: added, same, failed } = this.#counts;
    const { files, bytes } = this.#all;
    const megabytes = (some: number) => (some / MEGABYTE).toFixed(1);
    process.stderr.write(
      `${added + same + failed} of ${files} files, ${megabytes(this.#bytes)} of ${megabytes(bytes)} MB`,
    );
  }

  #clear(): void {
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  }
}
