import { badRequest } from '../errors.ts';
import { baseOf, hasLayers } from '../image/layers/segment.ts';
import { imageSteps } from '../image/steps/index.ts';
import { quote } from '../path.ts';
import type { ParameterRules } from '../transformation/param.ts';
import { otherKindIn, readOtherKind } from '../video/kinds.ts';
import { checkVideoOptions, isVideoFormatPart } from '../video/options.ts';
import type { SourceKind } from '../video/step.ts';
import type { VideoOptions } from '../video/steps/index.ts';

/** Beside these nothing else is asked for: facts, or a single frame. */
const STRONGER = /^(?:f_json|t_true|t_1)$/;

/**
 * What a segment asks for of a video or of sound that is no video and no single frame: a preview, a storyboard, a waveform. Undefined
 * for other segments.
 * @throws HttpProblem 400 for values out of range, and for what it cannot have
 */
export function readProduct(segment: string, source: SourceKind, rules: ParameterRules): VideoOptions | undefined {
  const base = baseOf(segment);
  const parts = base.split(',').filter((part) => part !== '');
  if (parts.some((part) => STRONGER.test(part))) return undefined;
  const kind = otherKindIn(base, source, [imageSteps], rules);
  // A video moves anyway.
  if (!kind || (kind.kind === 'preview' && parts.some(isVideoFormatPart))) return undefined;
  if (hasLayers(segment)) {
    const message = `${kind.name} has no layers: expected ${base}, received ${quote(segment)}.`;
    throw badRequest(message, 'parameter_out_of_range');
  }
  // Nothing else can be made of stored sound, so that what means nothing there is a mistake.
  const foreign = kind.kind === 'sound' && source === 'sound' ? [] : [imageSteps];
  const options = readOtherKind(base, kind, foreign, rules);
  checkVideoOptions(options);
  return options;
}
