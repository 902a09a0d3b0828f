import { parsePath } from '../../path.ts';
import { parameterProblem } from '../../transformation/transformation.ts';
import type { Layer } from './layer.ts';
import { texts } from './text-parameters.ts';

/** Source of a layer: a text or an image. */
export type LayerSource =
  | Pick<Extract<Layer, { kind: 'picture' }>, 'kind' | 'path'>
  | Pick<Extract<Layer, { kind: 'text' }>, 'kind' | 'text'>;

const TEXT = 'text:';
/** Escape of the first letter of a path that would read like a text. */
const ESCAPED_TEXT = '%74ext:';

/**
 * Reads what stands behind `l_`: `text:` and a text, or a path with `:` between its names. Both are percent-encoded
 * once more than the rest of the URL, so that they may hold what parts layers and parameters.
 * @returns undefined for nothing at all
 * @throws HttpProblem 400 for broken encoding, for a path as `parsePath`, and for a text that is too long or has
 * control characters
 */
export function readSource(written: string): LayerSource | undefined {
  if (written.startsWith(TEXT)) {
    const text = decodeAgain(written.slice(TEXT.length));
    return text === '' ? undefined : { kind: 'text', text: checkText(text) };
  }
  const path = parsePath(written.split(':').map(decodeAgain).join('/'));
  return path === '' ? undefined : { kind: 'picture', path };
}

/** The only spelling that is part of keys: all that may be encoded is. */
export function writeSource(source: LayerSource): string {
  if (source.kind === 'text') return TEXT + encode(source.text);
  const written = source.path.split('/').map(encode).join(':');
  return written.startsWith(TEXT) ? ESCAPED_TEXT + written.slice(TEXT.length) : written;
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll('~', '%7E');
}

/** A `%` without two hexadecimal digits is itself. */
function decodeAgain(text: string): string {
  try {
    return decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'));
  } catch {
    throw parameterProblem('l', 'percent-encoded UTF-8', text);
  }
}

/** @throws HttpProblem 400 for a text that is too long or has control characters */
function checkText(text: string): string {
  const reading = texts.parse(text, { outputSide: 0 });
  if (reading && 'value' in reading) return reading.value;
  throw parameterProblem('l', reading?.expected ?? texts.forms, text);
}
