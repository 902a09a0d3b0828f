/** Storage usage. */
export interface Usage {
  /** Bytes. */
  size: number;
  fileCount: number;
}

export const NO_USAGE: Readonly<Usage> = { size: 0, fileCount: 0 };

export function sumOf(one: Usage, other: Usage): Usage {
  return { size: one.size + other.size, fileCount: one.fileCount + other.fileCount };
}

/** Counts files as they are found. */
export async function usageOf(files: AsyncIterable<{ size: number }>): Promise<Usage> {
  const total = { size: 0, fileCount: 0 };
  for await (const { size } of files) {
    total.size += size;
    total.fileCount++;
  }
  return total;
}
