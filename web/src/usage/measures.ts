import type { Usage, UsageGroup, UsageRow } from '../api/usage.ts';
import { formatBytes, formatCount } from '../components/format.ts';

/** Columns of the table, and subjects of the chart. */
export const MEASURES = [
  'deliveredBytes',
  'requests',
  'uploadedBytes',
  'renders',
  'renderSeconds',
  'transcodeSeconds',
  'storedBytes',
] as const satisfies readonly (keyof Usage['total'])[];

export type Measure = (typeof MEASURES)[number];

/** Measures of a grouping: what is stored has no history for spaces and keys. */
export const measuresBy = (by: UsageGroup): readonly Measure[] =>
  MEASURES.filter((measure) => by === 'day' || measure !== 'storedBytes');

export const isMeasure = (text: unknown): text is Measure => MEASURES.some((measure) => measure === text);

/** Value of a measure, such as `1.2 GB`. @param value null if unknown */
export function formatMeasure(measure: Measure, value: number): string {
  if (measure.endsWith('Bytes')) return formatBytes(value);
  return measure.endsWith('Seconds') ? formatDuration(value) : formatCount(value);
}

/** `12 s`, `3 min 20 s`, `42 min`, `5 h 4 min`: two units below ten of the larger one. */
export function formatDuration(seconds: number): string {
  if (seconds === 0) return '0 s';
  if (seconds < 10) return `${Math.max(0.1, Math.round(seconds * 10) / 10)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 600) return both(Math.floor(whole / 60), 'min', whole % 60, 's');
  const minutes = Math.round(whole / 60);
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 600) return both(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  return `${formatCount(Math.round(minutes / 60))} h`;
}

const both = (large: number, unit: string, small: number, smallUnit: string) =>
  small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smallUnit}`;

export const amountOf = (row: UsageRow, measure: Measure): number | null => row[measure] ?? null;

/** True if nothing was counted. */
export const isEmpty = (row: UsageRow): boolean => MEASURES.every((measure) => !amountOf(row, measure));
