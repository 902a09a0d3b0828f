import { pictureLayer, textLayer } from '../image/layers/parameters.ts';
import { imageSteps } from '../image/steps/index.ts';
import type { Parameter, ParameterRules, Shape } from '../transformation/param.ts';
import { videoSteps } from '../video/steps/index.ts';

/** What a parameter is, for programs. */
export interface ParameterEntry {
  key: string;
  aliases: readonly string[];
  /** What parts the key from its value. */
  separator: '_' | ':';
  /** The long name. */
  name: string;
  /** Markdown, as are the forms. */
  summary: string;
  forms: string;
  /** The canonical text of what absence means; undefined where that is no value. */
  default: string | undefined;
  /** The canonical text of what the key alone means; undefined where it needs a value. */
  alone: string | undefined;
  /** Whole transformations. */
  examples: readonly string[];
  shape: Shape;
}

interface ParameterLists {
  image: ParameterEntry[];
  video: ParameterEntry[];
  /** Of a layer that is a picture. */
  layer: ParameterEntry[];
  /** Of a layer that is a text. */
  text: ParameterEntry[];
}

/** Every parameter of pictures, of videos and of layers, in the order of the effects, as the declarations have them. */
export function listParameters(rules: ParameterRules): ParameterLists {
  const entryOf = (parameter: Parameter<string, unknown>) => describe(parameter, rules);
  return {
    image: imageSteps.map(entryOf),
    video: videoSteps.map(entryOf),
    layer: pictureLayer.map(entryOf),
    text: textLayer.map(entryOf),
  };
}

function describe(parameter: Parameter<string, unknown>, rules: ParameterRules): ParameterEntry {
  const { key, aliases = [], separator = '_', name, syntax, reference } = parameter;
  const textOf = (value: unknown) => (value === undefined ? undefined : syntax.format(value));
  return {
    ...{ key, aliases, separator, name, summary: reference.summary, forms: syntax.forms },
    default: textOf(parameter.default),
    alone: textOf(parameter.alone),
    examples: reference.examples,
    shape: syntax.shape(rules),
  };
}
