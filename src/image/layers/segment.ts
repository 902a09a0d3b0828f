import { badRequest } from '../../errors.ts';
import { quote } from '../../path.ts';
import { MAX_LAYERS } from '../../transformation/limits.ts';
import type { OptionsOf, ParameterList, ParameterRules } from '../../transformation/param.ts';
import {
  formatOptions,
  parseSegment,
  readSegment,
  type Scale,
  type ValidationError,
  validationErrorOf,
} from '../../transformation/transformation.ts';
import type { Layer, Layered } from './layer.ts';
import { readSource, writeSource } from './names.ts';
import { imageLayer, textLayer } from './parameters.ts';

/** Parts the layers of a segment from what stands before them. */
const SEPARATOR = '~';
/** Start of a layer. */
const LAYER = 'l_';

/** The options of a list of parameters, with layers over them. */
export type LayeredOptions<List extends ParameterList> = OptionsOf<List> & Layered;

/**
 * Reads a URL segment that may have layers: `base~l_name,key_value~l_text:words`. The base is read as `parseSegment`
 * does and may be missing; each layer has parameters of its own.
 * @returns undefined when the segment is not a transformation but a folder name
 * @throws HttpProblem 400 as `parseSegment`, for more than 8 layers, and for a name or text that is impossible
 */
export function parseLayered<List extends ParameterList>(
  segment: string,
  own: List,
  foreign: readonly ParameterList[],
  rules: ParameterRules,
): LayeredOptions<List> | undefined {
  const split = splitLayers(segment);
  if (!split) return parseSegment(segment, own, foreign, rules);
  const { base, components } = split;
  const read =
    base === '' ? { options: {} as OptionsOf<List>, scale: undefined } : readSegment(base, own, foreign, rules);
  if (!read) return undefined;
  const layers = components.map((component) => readLayer(component, rules, read.scale));
  if (!layers.every((layer) => layer !== undefined)) return undefined;
  if (layers.length > MAX_LAYERS) {
    throw badRequest(`Expected at most ${MAX_LAYERS} layers, received ${layers.length}.`, 'parameter_out_of_range');
  }
  return { ...read.options, layers };
}

/** The canonical text: that of the parameters, then the layers in their order. */
export function formatLayered<List extends ParameterList>(options: LayeredOptions<List>, list: List): string {
  return writeLayers(formatOptions(options, list), options.layers);
}

/** The canonical text of a base, with that of the layers over it. */
export function writeLayers(base: string, layers: readonly Layer[] = []): string {
  const written = layers.map(writeLayer);
  return (base === '' ? written : [base, ...written]).join(SEPARATOR);
}

/** True if a segment has the syntax of one with layers. */
export function hasLayers(segment: string): boolean {
  return splitLayers(segment) !== undefined;
}

/** Returns the part of a segment before its layers. */
export function baseOf(segment: string): string {
  return splitLayers(segment)?.base ?? segment;
}

/** The same segment with another base. */
export function withBase(segment: string, base: string): string {
  const { components = [] } = splitLayers(segment) ?? {};
  return (base === '' && components.length > 0 ? components : [base, ...components]).join(SEPARATOR);
}

/** Returns the part of a segment that may be its base, even if no layers follow. */
export function firstPartOf(segment: string): string {
  return splitLayers(segment)?.base ?? segment.split(SEPARATOR, 1)[0] ?? '';
}

/** Returns the error of a segment whose layers cannot be read; undefined if all can, or if none seem intended. */
export function validateLayers(segment: string, rules: ParameterRules): ValidationError | undefined {
  const stray = strayLayer(segment);
  if (stray !== undefined) {
    return { isKnown: true, reason: `layers stand behind "~", as in w_800~l_logo.png, received ${quote(stray)}` };
  }
  for (const component of splitLayers(segment)?.components ?? []) {
    const { name, parts } = partsOf(component);
    const source = readSource(name);
    if (!source) return { isKnown: true, reason: 'a layer needs a name, as in l_logo.png or l_text:Hello' };
    const list = source.kind === 'text' ? textLayer : imageLayer;
    const errors = parts.map((part) => validationErrorOf(part, [list], rules));
    const error = errors.find((one) => one !== undefined);
    if (error) return { isKnown: true, reason: `in the layer ${LAYER}${name}, ${error.reason}` };
  }
  return undefined;
}

/** Finds text in the position of a layer, or a layer in the position of text. */
function strayLayer(segment: string): string | undefined {
  const [base = '', ...others] = segment.split(SEPARATOR);
  const isLayer = (part: string) => part.startsWith(LAYER);
  return others.find((component) => !isLayer(component)) ?? (isLayer(base) ? undefined : base.split(',').find(isLayer));
}

function splitLayers(segment: string): { base: string; components: string[] } | undefined {
  const all = segment.split(SEPARATOR);
  const [first = '', ...others] = all;
  const [base, components] = first.startsWith(LAYER) ? ['', all] : [first, others];
  const isLayered = components.length > 0 && components.every((component) => component.startsWith(LAYER));
  return isLayered ? { base, components } : undefined;
}

function partsOf(component: string): { name: string; parts: string[] } {
  const [name = '', ...parts] = component.slice(LAYER.length).split(',');
  return { name, parts: parts.filter((part) => part !== '') };
}

function readLayer(component: string, rules: ParameterRules, scale: Scale | undefined): Layer | undefined {
  const { name, parts } = partsOf(component);
  const source = readSource(name);
  if (!source) return undefined;
  const optionsOf = <List extends ParameterList>(list: List) => {
    if (parts.length === 0) return {} as OptionsOf<List>;
    return readSegment(parts.join(','), list, [], rules, scale)?.options;
  };
  if (source.kind === 'text') {
    const options = optionsOf(textLayer);
    return options && { ...source, options };
  }
  const options = optionsOf(imageLayer);
  return options && { ...source, options };
}

function writeLayer(layer: Layer): string {
  const options =
    layer.kind === 'text' ? formatOptions(layer.options, textLayer) : formatOptions(layer.options, imageLayer);
  return LAYER + writeSource(layer) + (options === '' ? '' : `,${options}`);
}
