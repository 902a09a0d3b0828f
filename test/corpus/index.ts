import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A file of the corpus; see README.md. */
export interface CorpusFile {
  file: string;
  /** Its row of docs/formats.md. */
  kind: string;
  /** Its distinguishing property. */
  what: string;
  /** A formula of references.ts, or a file of references/. */
  reference: string;
  /**
   * Decoder that confirmed the file next to the service when it was created; `formula` if its samples are the
   * formula's.
   */
  decoder: string;
  toneMapped?: true;
  /** True for an image that the service does not render. */
  refused?: true;
}

const FOLDER = new URL('./', import.meta.url);

export const corpus: readonly CorpusFile[] = JSON.parse(readFileSync(new URL('index.json', FOLDER), 'utf8'));

export const pathOf = ({ file }: CorpusFile): string => fileURLToPath(new URL(`files/${file}`, FOLDER));
