import { refuse } from '../refusal.ts';

/** One option of an imgproxy URL, such as `rs:fill:300:200`. */
export interface Option {
  name: string;
  values: readonly string[];
  /** As written. */
  text: string;
}

/** Parts of an imgproxy URL. */
export interface Address {
  options: readonly Option[];
  /** URL of the source image, decoded. */
  source: string;
  /** Format after the source URL; empty if there is none. */
  extension: string;
}

/** Splits the text after the signature in a URL, percent-encoded as received and without the query. @throws Refused */
export function readAddress(rest: string): Address {
  const names = rest.split('/');
  const options: Option[] = [];
  let at = names[0] === '' ? 1 : 0;
  for (; at < names.length; at++) {
    const text = decode(names[at] as string);
    const [name = '', ...values] = text.split(':');
    if (values.length === 0) break;
    options.push({ name, values, text });
  }
  const [kind = '', ...more] = names.slice(at);
  if (kind === 'enc') refuse('enc', 'encrypted addresses cannot be read');
  return { options, ...(kind === 'plain' ? readPlain(more.join('/')) : readEncoded([kind, ...more].join(''))) };
}

function readPlain(written: string): Pick<Address, 'source' | 'extension'> {
  const [source = '', extension = '', ...more] = written.split('@');
  if (source === '' || more.length > 0) refuse(written, 'expected the address of a picture, with %40 for an @ in it');
  return { source: decode(source), extension: decode(extension) };
}

function readEncoded(written: string): Pick<Address, 'source' | 'extension'> {
  const [code = '', extension = '', ...more] = decode(written).split('.');
  const source = /^[\w-]{2,4096}={0,2}$/.test(code) ? Buffer.from(code, 'base64url').toString() : '';
  if (source === '' || source.includes('\ufffd') || more.length > 0) {
    refuse(written, 'expected plain/ or an address in URL-safe Base64');
  }
  return { source, extension };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse(text, 'its percent-encoding is broken');
  }
}
