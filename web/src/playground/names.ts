import { writeSource as write } from '../../../packages/client/src/url.ts';

/** Content of a layer: an image or a text. */
export type LayerSource = { kind: 'image'; path: string } | { kind: 'text'; text: string };

const TEXT = 'text:';
/**
 * Parses the content after `l_` like the service: `text:` and a text, or a path with `:` between names,
 * percent-encoded. Either may be empty while it is typed.
 * @returns undefined for broken encoding
 */
export function readSource(written: string): LayerSource | undefined {
  try {
    if (written.startsWith(TEXT)) return { kind: 'text', text: decode(written.slice(TEXT.length)) };
    return { kind: 'image', path: written.split(':').map(decode).join('/') };
  } catch {
    return undefined;
  }
}

/** Canonical spelling, as the service writes it. */
export function writeSource(source: LayerSource): string {
  return source.kind === 'text'
    ? write({ text: source.text.toWellFormed() })
    : write({ picture: source.path.toWellFormed() });
}

/** A `%` without two hexadecimal digits is literal. */
function decode(text: string): string {
  return decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'));
}
