import { jsonText } from '../printable.ts';
import type { Service } from '../service.ts';
import type { Fields } from './json-rpc.ts';
import type { Schema } from './schema.ts';

/** What an assistant gets: a text, or a picture in Base64. */
export type Content = { type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string };

export interface Tool {
  name: string;
  title: string;
  /** For the assistant, who knows nothing of the service but that. */
  description: string;
  annotations: Readonly<Record<`${'readOnly' | 'destructive' | 'idempotent' | 'openWorld'}Hint`, boolean>>;
  inputSchema: Schema;
  /** The schema with what the service says of it. */
  describe?(signal: AbortSignal): Promise<Schema>;
  /**
   * @param args as the schema says
   * @throws Failure, UsageError and TypeError for what the assistant should read; the reason of the signal
   */
  run(args: Fields, signal: AbortSignal): Promise<readonly Content[]>;
}

/** For those that change nothing. */
export const READS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

export const PATH: Schema = { type: 'string', description: 'Where the file is, such as "products/shoe.jpg".' };

/** What an assistant reads. What is null is left out: every letter costs. */
export function json(value: object): Content {
  return { type: 'text', text: jsonText(value, (_, one) => one ?? undefined) };
}

/** Where a file is, encoded. */
export function addressOf({ base }: Service, path: string): string {
  return `${base}/t/${path.split('/').map(encodeURIComponent).join('/')}`;
}
