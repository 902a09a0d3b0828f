export interface BenchmarkOptions {
  /** A short run that only checks that the benchmark works. Its figures are not stored. */
  quick: boolean;
  /** Folder of the checkout to compare with, for benchmarks that compare two. */
  against?: string | undefined;
}

/** A benchmark: exported by each file of `bench/`. */
export interface Benchmark {
  name: string;
  /** Short subject, for the contents of `RESULTS.md`. */
  about: string;
  /** Measures. @returns Markdown below the heading: method, tables and targets */
  run(options: BenchmarkOptions): Promise<string>;
}
