import type { AnalysisKind } from '../analysis/analysis.ts';
import { megapixelsOf, type Size } from '../layout/geometry.ts';

/** CPU time in ms without decoding: all analyses but the search for edges read a small copy. */
const FOUND: Readonly<Record<AnalysisKind, number>> = { faces: 430, interest: 10, edges: 5, ground: 10, cutout: 130 };
const EDGES = 3;
/** CPU time to describe an open image, in ms. */
export const DESCRIBED_MS = 20;

/** CPU time to find something in an open image, in ms. */
export function findMs(kind: AnalysisKind, upright: Size): number {
  return FOUND[kind] + (kind === 'edges' ? EDGES * megapixelsOf(upright) : 0);
}
