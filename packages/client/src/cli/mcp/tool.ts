import { jsonText } from '../printable.ts';
import type { Fields } from './json-rpc.ts';
import type { Schema } from './schema.ts';

/** Result for an assistant: a text, or an image in Base64. */
export type Content = { type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string };

export interface Tool {
  name: string;
  title: string;
  /** For the assistant, which knows nothing else about the service. */
  description: string;
  annotations: Readonly<Record<`${'readOnly' | 'destructive' | 'idempotent' | 'openWorld'}Hint`, boolean>>;
  inputSchema: Schema;
  /** Returns the schema, completed with limits of the service. */
  describe?(signal: AbortSignal): Promise<Schema>;
  /**
   * @param args valid by the schema
   * @throws Failure, UsageError and TypeError for the assistant to read; the reason of the signal
   */
  run(args: Fields, signal: AbortSignal): Promise<readonly Content[]>;
}

/** Annotations of read-only tools. */
export const READS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

export const PATH: Schema = { type: 'string', description: 'Where the file is, such as "products/shoe.jpg".' };

/** Returns JSON for an assistant. Null values are omitted: every token costs. */
export function json(value: object): Content {
  return { type: 'text', text: jsonText(value, (_, one) => one ?? undefined) };
}
