import { writeSource as write } from '../../../packages/client/src/url.ts';

/** What is laid over a picture: another one, or a text. */
export type LayerSource = { kind: 'image'; path: string } | { kind: 'text'; text: string };

const TEXT = 'text:';
/**
 * Reads what stands behind `l_`, as the service does: `text:` and a text, or a path with `:` between its names, percent-encoded.
 * Either may be empty: somebody is still writing it.
 * @returns undefined where the encoding is broken
 */
export function readSource(written: string): LayerSource | undefined {
  try {
    if (written.startsWith(TEXT)) return { kind: 'text', text: decode(written.slice(TEXT.length)) };
    return { kind: 'image', path: written.split(':').map(decode).join('/') };
  } catch {
    return undefined;
  }
}

/** The spelling that the service gives it too: all that may be encoded is. */
export function writeSource(source: LayerSource): string {
  return source.kind === 'text'
    ? write({ text: source.text.toWellFormed() })
    : write({ picture: source.path.toWellFormed() });
}

/** A `%` without two hexadecimal digits is itself. */
function decode(text: string): string {
  return decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'));
}
