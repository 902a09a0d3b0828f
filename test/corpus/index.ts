import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A file of the corpus; see README.md. */
export interface CorpusFile {
  file: string;
  /** The row of docs/formats.md that it belongs to. */
  kind: string;
  /** What is special about it. */
  what: string;
  /** A formula of references.ts, or a file of references/. */
  reference: string;
  /** What decoded the file beside the service when it was made; `formula` where its samples are the formula's. */
  decoder: string;
  toneMapped?: true;
  /** It is a picture that the service does not show. */
  refused?: true;
}

const FOLDER = new URL('./', import.meta.url);

export const corpus: readonly CorpusFile[] = JSON.parse(readFileSync(new URL('index.json', FOLDER), 'utf8'));

export const pathOf = ({ file }: CorpusFile): string => fileURLToPath(new URL(`files/${file}`, FOLDER));
