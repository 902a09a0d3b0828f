import { type LayerSource, readSource, writeSource } from './names.ts';

/** Parts the layers of a segment from what stands before them. */
const SEPARATOR = '~';
/** What a layer begins with. */
const LAYER = 'l_';

/** A layer as it is written: what is laid over the picture, and how. */
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

/** What of a segment is not a layer. */
export const baseOf = (segment: string): string => split(segment).base;

/** The same layers over something else. */
export const withBase = (segment: string, base: string): string => join(base, split(segment).layers);

/** The layers of a segment in their order, as they are written; also those that nobody can read. */
export const layersOf = (segment: string): string[] => split(segment).layers;

/** The same with other layers. */
export const withLayers = (segment: string, layers: readonly string[]): string => join(baseOf(segment), layers);

/** Whether what stands behind a `~` was meant as a layer. */
export const isLayer = (written: string): boolean => written.startsWith(LAYER);

/** @returns undefined for what is no layer */
export function readLayer(written: string): Layer | undefined {
  if (!isLayer(written)) return undefined;
  const [name = '', ...parts] = written.slice(LAYER.length).split(',');
  const source = readSource(name);
  return source && { source, parts: parts.join(',') };
}

export function writeLayer({ source, parts }: Layer): string {
  return LAYER + writeSource(source) + (parts === '' ? '' : `,${parts}`);
}

/** A segment as it is typed or pasted. Spaces mean something in layers alone: in texts, and in the names of fonts and files. */
export function tidy(typed: string): string {
  const { base, layers } = split(typed.replace(/[\t\n\r/]/g, ''));
  return join(
    base.replace(/\s/g, ''),
    layers.map((layer) => layer.replace(/(^|,) +/g, '$1')),
  );
}
