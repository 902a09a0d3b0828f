import { imageSteps } from '../image/steps/index.ts';
import type { Parameter, ParameterRules, Shape } from '../transformation/param.ts';
import { videoSteps } from '../video/steps/index.ts';

/** What a parameter is, for programs. */
export interface ParameterEntry {
  key: string;
  aliases: readonly string[];
  /** The long name. */
  name: string;
  /** Markdown, as are the forms. */
  summary: string;
  forms: string;
  /** The canonical text of what absence means; undefined where that is no value. */
  default: string | undefined;
  /** Whole transformations. */
  examples: readonly string[];
  shape: Shape;
}

/** Every parameter of pictures and of videos, in the order of the effects, as the declarations have them. */
export function listParameters(rules: ParameterRules): { image: ParameterEntry[]; video: ParameterEntry[] } {
  const entryOf = (parameter: Parameter<string, unknown>) => describe(parameter, rules);
  return { image: imageSteps.map(entryOf), video: videoSteps.map(entryOf) };
}

function describe(parameter: Parameter<string, unknown>, rules: ParameterRules): ParameterEntry {
  const { key, aliases = [], name, syntax, reference } = parameter;
  return {
    ...{ key, aliases, name, summary: reference.summary, forms: syntax.forms },
    default: parameter.default === undefined ? undefined : syntax.format(parameter.default),
    examples: reference.examples,
    shape: syntax.shape(rules),
  };
}
