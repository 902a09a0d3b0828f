import { imageLayer, textLayer } from '../image/layers/parameters.ts';
import { imageSteps } from '../image/steps/index.ts';
import type { Parameter, ParameterRules, Shape } from '../transformation/param.ts';
import { videoSteps } from '../video/steps/index.ts';

/** Machine-readable description of a parameter. */
export interface ParameterEntry {
  key: string;
  aliases: readonly string[];
  /** Separates the key from its value. */
  separator: '_' | ':';
  /** Long name. */
  name: string;
  /** Markdown, as is `forms`. */
  summary: string;
  forms: string;
  /** Canonical text of the default; undefined if there is none. */
  default: string | undefined;
  /** Canonical text of the key without a value; undefined if it needs a value. */
  alone: string | undefined;
  /** Complete transformations. */
  examples: readonly string[];
  shape: Shape;
}

interface ParameterLists {
  image: ParameterEntry[];
  video: ParameterEntry[];
  /** Parameters of an image layer. */
  layer: ParameterEntry[];
  /** Parameters of a text layer. */
  text: ParameterEntry[];
}

/** Lists every parameter of images, videos and layers, in the order of their effect. */
export function listParameters(rules: ParameterRules): ParameterLists {
  const entryOf = (parameter: Parameter<string, unknown>) => describe(parameter, rules);
  return {
    image: imageSteps.map(entryOf),
    video: videoSteps.map(entryOf),
    layer: imageLayer.map(entryOf),
    text: textLayer.map(entryOf),
  };
}

function describe(parameter: Parameter<string, unknown>, rules: ParameterRules): ParameterEntry {
  const { key, aliases = [], separator = '_', name, syntax, reference } = parameter;
  const textOf = (value: unknown) => (value === undefined ? undefined : syntax.format(value));
  return {
    key,
    aliases,
    separator,
    name,
    summary: reference.summary,
    forms: syntax.forms,
    default: textOf(parameter.default),
    alone: textOf(parameter.alone),
    examples: reference.examples,
    shape: syntax.shape(rules),
  };
}
