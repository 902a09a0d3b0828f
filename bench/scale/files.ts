import type { Row } from './row.ts';

export const rowsOfFiles: readonly Row[] = [];
