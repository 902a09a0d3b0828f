/** Cost of one operation at one size. */
export interface Cost {
  /** Duration of the operation in ms: of one look-up, or of the whole work. */
  ms: number;
  /** Peak memory of the service above that before the operation, in MB. */
  megabytes: number;
  /** Longest stall of the event loop of the service during the operation, in ms. */
  stallMs: number;
}

/** A subject whose cost is measured at growing sizes. */
export interface Row {
  label: string;
  /** Kind of its target: a look-up does not grow with the library, whole work grows in proportion. */
  kind: 'look-up' | 'whole';
  sizes: readonly number[];
  /** Sizes of a short run. */
  quickSizes: readonly number[];
  measure(size: number): Promise<Cost>;
}
