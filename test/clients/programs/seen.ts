import { openAsBlob } from 'node:fs';
import type { ErrorCode } from '../generated/hey-api/api/index.js';

/** Actions and results of a program that uses the API of a service. Every client must see the same. */
export interface Seen {
  uploaded: string;
  listed: { folders: string[]; files: string[] };
  summaries: Record<string, number>;
  size: number;
  renamed: string;
  signed: { url: string; expires?: number };
  variant: { type: string; isSmall: boolean };
  original: number;
  missing: { status: number | undefined; code: ErrorCode | undefined };
  withoutKey: { status: number | undefined; code: ErrorCode | undefined };
  keys: { permissions: ('read' | 'upload' | 'manage' | 'admin')[]; listed: string[]; status: number | undefined };
  replaced: number;
  deleted: boolean;
  left: string[];
}

/** Names that exercise encoding: folders, spaces and characters reserved in URLs. */
export const FOLDER = 'trips/rome 1';
export const FOLDERS = [FOLDER, 'trips'];
export const NAME = 'b&c #1.png';

/** Reads the image given to the program. */
export async function takePicture(): Promise<File> {
  const blob = await openAsBlob(process.argv[2] ?? '');
  return new File([blob], 'a+ä.png', { type: 'image/png' });
}

/** Returns the number of items in each folder. */
export function countsOf(summaries: Record<string, { itemCount: number }>): Record<string, number> {
  return Object.fromEntries(Object.entries(summaries).map(([path, { itemCount }]) => [path, itemCount]));
}

/** Returns the value, which must exist. */
export function the<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('Expected an answer, received an error.');
  return value;
}

export function say(seen: Seen): void {
  process.stdout.write(JSON.stringify(seen));
}
