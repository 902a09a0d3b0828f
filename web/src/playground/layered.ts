import { type LayerSource, readSource, writeSource } from './names.ts';

/** Separates layers from the base and from each other. */
const SEPARATOR = '~';
/** Prefix of a layer. */
const LAYER = 'l_';

/** Parsed layer. */
export interface Layer {
  source: LayerSource;
  /** Its parameters, joined by commas. */
  parts: string;
}

function split(segment: string): { base: string; layers: string[] } {
  const all = segment.split(SEPARATOR);
  const [base = '', ...layers] = all;
  return base.startsWith(LAYER) ? { base: '', layers: all } : { base, layers };
}

function join(base: string, layers: readonly string[]): string {
  const isAlone = base === '' && layers[0]?.startsWith(LAYER);
  return (isAlone ? layers : [base, ...layers]).join(SEPARATOR);
}

/** Part of a segment before its layers. */
export const baseOf = (segment: string): string => split(segment).base;

/** Replaces the part before the layers. */
export const withBase = (segment: string, base: string): string => join(base, split(segment).layers);

/** Layers of a segment as written, including unreadable ones. */
export const layersOf = (segment: string): string[] => split(segment).layers;

/** Replaces the layers. */
export const withLayers = (segment: string, layers: readonly string[]): string => join(baseOf(segment), layers);

/** True if a part after `~` is intended as a layer. */
export const isLayer = (written: string): boolean => written.startsWith(LAYER);

/** @returns undefined if it is not a layer */
export function readLayer(written: string): Layer | undefined {
  if (!isLayer(written)) return undefined;
  const [name = '', ...parts] = written.slice(LAYER.length).split(',');
  const source = readSource(name);
  return source && { source, parts: parts.join(',') };
}

export function writeLayer({ source, parts }: Layer): string {
  return LAYER + writeSource(source) + (parts === '' ? '' : `,${parts}`);
}

/** Normalises a typed or pasted segment. Spaces are significant in layers only: in texts, fonts and file names. */
export function tidy(typed: string): string {
  const { base, layers } = split(typed.replace(/[\t\n\r/]/g, ''));
  return join(
    base.replace(/\s/g, ''),
    layers.map((layer) => layer.replace(/(^|,) +/g, '$1')),
  );
}
