import { HttpProblem } from '../errors.ts';
import { firstPartOf, hasLayers, validateLayers } from '../image/layers/segment.ts';
import { imageSteps } from '../image/steps/index.ts';
import { mediaTypeOf } from '../media.ts';
import { quote, type StoragePath } from '../path.ts';
import { type ValidationError, validationErrorOf } from '../transformation/transformation.ts';
import { videoSteps } from '../video/steps/index.ts';
import { PRESET_PREFIX, presetOf } from './presets.ts';
import { type DeliveryRequest, isTransformation, type UrlRules } from './url.ts';

interface NotFoundOptions {
  rules: UrlRules;
  /** True if the message may list the presets. */
  namesPresets: boolean;
}

const ONLY_FIRST = 'Only the first segment is read as a transformation';

/** The 404 of a request for a missing file. */
export class MissingOriginal extends HttpProblem {
  /**
   * The original whose cached state alone decides about the request. Undefined where another file may answer it, or
   * where the store is always queried.
   */
  readonly decidingPath: StoragePath | undefined;

  constructor(message: string, decidingPath: StoragePath | undefined) {
    super('file_not_found', message);
    this.decidingPath = decidingPath;
  }
}

/** Makes the 404 of a request for a missing file. @param decidingPath as in `MissingOriginal` */
export type NotFound = (
  request: Pick<DeliveryRequest, 'path' | 'segment'>,
  decidingPath: StoragePath | undefined,
) => MissingOriginal;

/**
 * Makes 404s for missing files. A segment that is no transformation counts as a folder name, so a mistyped one requests
 * a missing file. The message says which part was not understood.
 */
export function createNotFound(options: NotFoundOptions): NotFound {
  return ({ path, segment }, decidingPath) => {
    const reason = explain(path.split('/'), segment, options);
    return new MissingOriginal(`There is no file "${path}".${reason === undefined ? '' : ` ${reason}`}`, decidingPath);
  };
}

function explain(names: readonly string[], segment: string, options: NotFoundOptions): string | undefined {
  const [first = '', ...others] = names;
  const file = others.at(-1);
  const isSecond = segment !== '';
  const isIntended = file !== undefined && !(isSecond && isTransformation(first, mediaTypeOf(file), options.rules));
  const problem = isIntended ? segmentErrorOf(first, names, options) : undefined;
  const start = isSecond ? `${ONLY_FIRST}, and ${quote(first)} is none` : `${quote(first)} is no transformation`;
  const explained = problem && `${start}: ${problem.reason}.`;
  // A folder may be called photos_2024: with a better guess, or after a transformation, its name is no mistyped one.
  return problem?.isKnown
    ? explained
    : (explainMisplaced(names, segment, options) ?? (isSecond ? undefined : explained));
}

/** Returns the first part of a segment that is not understood, with the reason. */
function segmentErrorOf(
  segment: string,
  names: readonly string[],
  { rules, namesPresets }: NotFoundOptions,
): ValidationError | undefined {
  const parts = firstPartOf(segment)
    .split(',')
    .filter((part) => part !== '');
  if (parts.some((part) => part.startsWith(PRESET_PREFIX))) {
    if (parts.length > 1) return { isKnown: true, reason: 'a preset stands alone' };
    const known = namesPresets ? Object.keys(rules.presets ?? {}) : [];
    const others = known.length > 0 ? `, but ${known.join(', ')}` : '';
    return {
      isKnown: true,
      reason: `there is no preset ${quote((parts[0] ?? '').slice(PRESET_PREFIX.length))}${others}`,
    };
  }
  const isVideo = mediaTypeOf(names.at(-1) ?? '').kind === 'video';
  const lists = isVideo ? [videoSteps, imageSteps] : [imageSteps, videoSteps];
  const inLayers = validateLayers(segment, rules);
  const problems = parts.map((part) => validationErrorOf(part, lists, rules));
  const problem = problems.find((one) => one !== undefined);
  // If one part is understood, the others are intended as parts too.
  const isIntended = problems.includes(undefined);
  if (inLayers && (isIntended || parts.length === 0)) return inLayers;
  if (problem && isIntended) return { ...problem, isKnown: true };
  return problem?.isKnown || /^[a-z]+_/i.test(segment) ? problem : undefined;
}

/** Explains transformations in wrong positions: after another one, or after a folder. */
function explainMisplaced(names: readonly string[], segment: string, { rules }: NotFoundOptions): string | undefined {
  const isMisplaced = names.map((name, index) => {
    if (segment === '' && index === 0) return false;
    const file = index === names.length - 1 ? names[index - 1] : names.at(-1);
    return file !== undefined && isTransformation(name, mediaTypeOf(file), rules);
  });
  const misplaced = names.filter((_, index) => isMisplaced[index]);
  const rest = names.filter((_, index) => !isMisplaced[index]);
  if (misplaced.length === 0 || rest.length === 0) return undefined;
  const all = segment === '' ? misplaced : [segment, ...misplaced];
  if (all.length > 1 && all.some((one) => presetOf(one, rules.presets) !== undefined)) {
    return `${ONLY_FIRST}, and a preset stands alone.`;
  }
  return `${ONLY_FIRST}, as in ${quote([joined(all), ...rest].join('/'))}.`;
}

/** Joins transformations into one, with layers after the parameters. */
function joined(segments: readonly string[]): string {
  const isLayered = segments.map(hasLayers);
  const parameters = segments.filter((_, index) => !isLayered[index]);
  const layered = segments.filter((_, index) => isLayered[index]);
  return [...(parameters.length > 0 ? [parameters.join(',')] : []), ...layered].join('~');
}
