import { openAsBlob } from 'node:fs';
import type { ErrorCode } from '../generated/hey-api/api/index.js';

/** What a program did with the API of a service, and what it saw. Every client has to see the same. */
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

/** Names that say what may go wrong: folders, spaces and characters that URLs use for themselves. */
export const FOLDER = 'trips/rome 1';
export const FOLDERS = [FOLDER, 'trips'];
export const NAME = 'b&c #1.png';

/** The picture that the program was given. */
export async function takePicture(): Promise<File> {
  const blob = await openAsBlob(process.argv[2] ?? '');
  return new File([blob], 'a+ä.png', { type: 'image/png' });
}

/** How many things are in each folder. */
export function countsOf(summaries: Record<string, { itemCount: number }>): Record<string, number> {
  return Object.fromEntries(Object.entries(summaries).map(([path, { itemCount }]) => [path, itemCount]));
}

/** What has to be there. */
export function the<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('Expected an answer, received an error.');
  return value;
}

export function say(seen: Seen): void {
  process.stdout.write(JSON.stringify(seen));
}
