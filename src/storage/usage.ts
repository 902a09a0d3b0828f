/** How much is stored. */
export interface Usage {
  /** Bytes. */
  size: number;
  fileCount: number;
}

export interface DatedUsage extends Usage {
  /** When the figures last changed, or when they were counted. */
  updatedAt: Date;
}
