import { badRequest } from '../errors.ts';
import { quote } from '../path.ts';
import type { ParameterList, ParameterRules } from '../transformation/param.ts';
import { objectionTo, parseSegment } from '../transformation/transformation.ts';
import { preview, previewSteps } from './preview/steps.ts';
import type { SourceKind } from './step.ts';
import { type VideoOptions, videoSteps } from './steps/index.ts';

/** The formats of what is no video. */
export type OtherFormat = 'webp' | 'gif';

/** Something that is made of a video and is no video. A parameter of its own asks for it. */
export interface OtherKind {
  kind: 'preview';
  /** What it is, for messages. */
  name: string;
  /** The option that asks for it, and how a URL says it. */
  option: 'animated';
  asking: string;
  /** Its parameters, in the order of its canonical text. */
  steps: ParameterList;
  sources: readonly SourceKind[];
  /** Of the result, the usual one first. */
  formats: readonly [OtherFormat, ...OtherFormat[]];
}

const OTHER_KINDS: readonly OtherKind[] = [
  {
    ...{ kind: 'preview', name: 'A preview of a video', option: 'animated', asking: 'an_true' },
    ...{ steps: previewSteps, sources: ['video'], formats: ['webp', 'gif'] },
  },
];

const MARKS = [preview].map((mark) => ({ ...mark, idle: () => false }));

/** What options ask for instead of a video; undefined for a video. */
export function otherKindOf(options: VideoOptions): OtherKind | undefined {
  const { format } = options;
  // A video of a GIF says `an_true` too.
  const fits = ({ formats }: OtherKind) => format === undefined || formats.some((one) => one === format);
  return OTHER_KINDS.find((other) => options[other.option] && fits(other));
}

/**
 * What a segment asks for instead of a video, of a source of this kind.
 * @param foreign parameters that mean nothing here
 * @throws HttpProblem 400 when it asks for two of them
 */
export function otherKindIn(
  segment: string,
  source: SourceKind,
  foreign: readonly ParameterList[],
  rules: ParameterRules,
): OtherKind | undefined {
  const marked: VideoOptions = parseSegment(segment, MARKS, [videoSteps, ...foreign], rules) ?? {};
  const [kind, second] = OTHER_KINDS.filter(({ option, sources }) => marked[option] && sources.includes(source));
  if (kind && second) {
    const message = `Expected ${kind.asking} or ${second.asking}, received both.`;
    throw badRequest(message, 'parameter_out_of_range');
  }
  return kind;
}

/**
 * Reads the options of what a segment asks for.
 * @param foreign parameters that mean nothing here
 * @throws HttpProblem 400 for a value out of range, and for a parameter of videos that this cannot have
 */
export function readOtherKind(
  segment: string,
  { name, asking, steps }: OtherKind,
  foreign: readonly ParameterList[],
  rules: ParameterRules,
): VideoOptions {
  const refused = segment.split(',').find((part) => {
    const objection = objectionTo(part, [steps], rules);
    return part !== '' && objection && !objection.isKnown && !objectionTo(part, [videoSteps], rules);
  });
  if (refused !== undefined) {
    const keys = steps.map(({ key }) => key).filter((key) => !asking.startsWith(`${key}_`));
    const message = `${name} can have ${keys.join(' ')} beside ${asking}: expected nothing else, received ${quote(refused)}.`;
    throw badRequest(message, 'parameter_out_of_range');
  }
  // `auto` is a default, so that it never is a value here.
  return (parseSegment(segment, steps, [videoSteps, ...foreign], rules) ?? {}) as VideoOptions;
}
