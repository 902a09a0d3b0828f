import { badRequest } from '../errors.ts';
import { baseOf, hasLayers } from '../image/layers/segment.ts';
import { type ImageOptions, imageSteps } from '../image/steps/index.ts';
import type { MediaType } from '../media.ts';
import { quote } from '../path.ts';
import { isMoving } from '../transformation/animated.ts';
import type { ParameterRules } from '../transformation/param.ts';
import { parseSegment, validationErrorOf } from '../transformation/transformation.ts';
import type { OutputLimits } from '../video/limits.ts';
import { checkVideoOptions, formatPartOf, withoutVideoFormat } from '../video/options.ts';
import { type GifOptions, gifSteps, videoSteps } from '../video/steps/index.ts';

const VIDEO_FORMATS = ['f_mp4', 'f_webm'];
const KEYS = gifSteps
  .filter(({ name }) => name !== 'animated')
  .map(({ key }) => key)
  .join(' ');

/**
 * Normalizes the options for a type of file: without frames `an` has no effect, and with `an` all pages are used.
 * @throws HttpProblem 400 for a format without animation
 */
export function normalizeFrames(options: ImageOptions, { hasFrames }: Pick<MediaType, 'hasFrames'>): ImageOptions {
  const { animated, ...still } = options;
  if (!animated || !hasFrames) return still;
  const { page, ...moving } = options;
  const { format = 'auto' } = options;
  if (format === 'auto' || format === 'best' || isMoving(format)) return moving;
  const message = `${format.toUpperCase()} images cannot be animated: expected f_webp, f_gif, f_auto or f_best with an_true, or f_mp4 or f_webm for a video of a GIF.`;
  throw badRequest(message, 'parameter_out_of_range');
}

/**
 * Reads a segment that requests a video of an animation, such as `w_320,an_true,f_mp4`; undefined for other segments.
 * @throws HttpProblem 400 for a file that cannot become a video, and for parameters that such a video does not have
 */
export function readVideoOfFrames(
  segment: string,
  type: MediaType,
  rules: ParameterRules & { videoOutput?: OutputLimits },
): GifOptions | undefined {
  const base = baseOf(segment);
  if (!type.hasFrames || !VIDEO_FORMATS.includes(formatPartOf(base))) return undefined;
  const image = parseSegment(withoutVideoFormat(base), imageSteps, [videoSteps], rules);
  if (!image?.animated) return undefined;
  if (type.mime !== 'image/gif') {
    throw badRequest('Only a GIF can become a video; animated WebP is not supported.', 'untransformable');
  }
  const foreign = base.split(',').find((part) => part !== '' && validationErrorOf(part, [gifSteps], rules));
  if (foreign !== undefined || hasLayers(segment)) {
    const what = foreign ?? segment.slice(base.length);
    const message = `A video of a GIF can have ${KEYS} with an_true: expected nothing else, received ${quote(what)}.`;
    throw badRequest(message, 'parameter_out_of_range');
  }
  const options = parseSegment(base, gifSteps, [], rules);
  if (options) checkVideoOptions(options, rules.videoOutput);
  return options;
}
