import { badRequest } from '../errors.ts';
import { quote } from '../path.ts';
import type { ParameterList, ParameterRules } from '../transformation/param.ts';
import { parseSegment, validationErrorOf } from '../transformation/transformation.ts';
import type { SourceKind } from './step.ts';
import { audio, audioSteps, isStream } from './steps/audio.ts';
import { format } from './steps/format.ts';
import { type VideoOptions, videoSteps } from './steps/index.ts';
import { preview, previewSteps } from './steps/preview.ts';
import { storyboard, storyboardSteps } from './steps/storyboard.ts';
import { waveform, waveformSteps } from './steps/waveform.ts';

/** Formats of products other than videos. */
export type OtherFormat = 'webp' | 'gif' | 'jpeg' | 'png' | 'avif' | 'vtt' | 'm4a' | 'ogg' | 'mp3';

/** A product of a video that is not a video itself, requested by its own parameter. */
export interface OtherKind {
  kind: 'preview' | 'storyboard' | 'waveform' | 'sound';
  /** Used in messages. */
  name: string;
  /** Option that requests it, and its text in a URL. */
  option: 'animated' | 'storyboard' | 'waveform' | 'audio';
  parameter: string;
  /** Parameters in the order of the canonical text. */
  steps: ParameterList;
  sources: readonly SourceKind[];
  /** Formats of the result, the default first. */
  formats: readonly [OtherFormat, ...OtherFormat[]];
}

const OTHER_KINDS: readonly OtherKind[] = [
  {
    kind: 'preview',
    name: 'A preview of a video',
    option: 'animated',
    parameter: 'an_true',
    steps: previewSteps,
    sources: ['video'],
    formats: ['webp', 'gif'],
  },
  {
    kind: 'storyboard',
    name: 'A storyboard',
    option: 'storyboard',
    parameter: 'sb_true',
    steps: storyboardSteps,
    sources: ['video'],
    formats: ['jpeg', 'webp', 'png', 'avif', 'vtt'],
  },
  {
    kind: 'waveform',
    name: 'A waveform',
    option: 'waveform',
    parameter: 'wf_true',
    steps: waveformSteps,
    sources: ['video', 'sound'],
    formats: ['png', 'webp', 'jpeg', 'avif'],
  },
  {
    kind: 'sound',
    name: 'Audio alone',
    option: 'audio',
    parameter: 'au_aac, au_opus or au_mp3',
    steps: audioSteps,
    sources: ['video', 'sound'],
    formats: ['m4a', 'ogg', 'mp3'],
  },
];

const FLAGS = [preview, storyboard, waveform].map((flag) => ({ ...flag, idle: () => false }));
const PRODUCT_PARAMETERS = [...FLAGS, { ...audio, idle: () => false }, format];

/** True if the options request it explicitly. `au_none` is still a video, and the audio of a stream belongs to that. */
function isRequested({ option }: OtherKind, options: VideoOptions): boolean {
  if (option === 'audio') return options.audio !== 'none' && options.audio !== undefined && !isStream(options.format);
  return options[option] === true;
}

/** Returns the kind of product that the options request; undefined for a video. */
export function otherKindOf(options: VideoOptions): OtherKind | undefined {
  const { format } = options;
  // A video made of a GIF has `an_true` too.
  const fits = ({ formats }: OtherKind) => format === undefined || formats.some((one) => one === format);
  return OTHER_KINDS.find((other) => isRequested(other, options) && fits(other));
}

/**
 * Returns the kind of product that a segment requests of this source; undefined for a video.
 * @param foreign parameters without meaning here
 * @throws HttpProblem 400 when it requests two of them
 */
export function otherKindIn(
  segment: string,
  source: SourceKind,
  foreign: readonly ParameterList[],
  rules: ParameterRules,
): OtherKind | undefined {
  const marked: VideoOptions = parseSegment(segment, PRODUCT_PARAMETERS, [videoSteps, ...foreign], rules) ?? {};
  const [kind, second] = OTHER_KINDS.filter((other) => isRequested(other, marked) && other.sources.includes(source));
  if (kind && second) {
    const message = `Expected ${kind.parameter} or ${second.parameter}, received both.`;
    throw badRequest(message, 'parameter_out_of_range');
  }
  return kind;
}

/** True if a part explicitly requests no other product and no format. */
function isUnset(part: string, rules: ParameterRules): boolean {
  if (part === 'f_auto') return true;
  const options = parseSegment(part, FLAGS, [], rules);
  return options !== undefined && Object.keys(options).length === 0;
}

/**
 * Reads the options of a product.
 * @param foreign parameters without meaning here
 * @throws HttpProblem 400 for a value out of range, and for a video parameter that this product does not have
 */
export function readOtherKind(
  segment: string,
  { name, parameter, steps }: OtherKind,
  foreign: readonly ParameterList[],
  rules: ParameterRules,
): VideoOptions {
  const refused = segment.split(',').find((part) => {
    if (isUnset(part, rules)) return false;
    const problem = validationErrorOf(part, [steps], rules);
    const isForeign = foreign.length > 0 && validationErrorOf(part, [videoSteps], rules) !== undefined;
    return part !== '' && problem && !problem.isKnown && !isForeign;
  });
  if (refused !== undefined) {
    const keys = steps.map(({ key }) => key).filter((key) => !parameter.startsWith(`${key}_`));
    const message = `${name} can have ${keys.join(' ')} with ${parameter}: expected nothing else, received ${quote(refused)}.`;
    throw badRequest(message, 'parameter_out_of_range');
  }
  // `auto` is the default of the format, so it never is a value here.
  return (parseSegment(segment, steps, [videoSteps, ...foreign], rules) ?? {}) as VideoOptions;
}
