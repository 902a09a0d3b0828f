export interface BenchmarkOptions {
  /** A short run to see that everything works; its figures mean nothing and are not kept. */
  quick: boolean;
  /** The folder of another version, for the benchmark that compares two. */
  against?: string | undefined;
}

/** What a file of bench/ exports: something that measures itself and tells the result as a Markdown section. */
export interface Benchmark {
  name: string;
  /** The section without its heading: what is measured and how, tables, whether the targets are met. */
  run(options: BenchmarkOptions): Promise<string>;
}
