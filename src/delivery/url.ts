import { badRequest, HttpProblem, notFound } from '../errors.ts';
import { baseOf, hasLayers, type LayeredOptions, parseLayered, withBase } from '../image/layers/segment.ts';
import { type ImageOptions, imageSteps } from '../image/steps/index.ts';
import { type MediaType, mediaTypeOf } from '../media.ts';
import { decodeSegment, encodePath, parsePath, parseUrlPath, quote, type StoragePath } from '../path.ts';
import { MAX_TRANSFORMATION_BYTES } from '../transformation/limits.ts';
import type { ParameterRules } from '../transformation/param.ts';
import { isLateSegment } from '../transformation/transformation.ts';
import { otherKindIn, readOtherKind } from '../video/kinds.ts';
import type { OutputLimits } from '../video/limits.ts';
import {
  checkVideoOptions,
  formatPartOf,
  frameTimeOf,
  isFrame,
  isVideoFormatPart,
  withoutVideoFormat,
} from '../video/options.ts';
import type { SourceKind } from '../video/step.ts';
import { type VideoOptions, videoSteps } from '../video/steps/index.ts';
import { isPlaylist, normalizeStream } from '../video/stream-options.ts';
import { refuseHiding } from './hidden-faces.ts';
import { checkLayers, type LayeredVideo, layOverVideo } from './layers.ts';
import { readVideoOfFrames, normalizeFrames } from './moving.ts';
import { type Presets, presetOf } from './presets.ts';

/** The limits of what URLs may ask for, and the presets that they may name. */
export interface UrlRules extends ParameterRules {
  presets?: Presets;
  /** The largest result of a transcode. */
  videoOutput?: OutputLimits;
}

/** What is made of a file; `impossible` when the file cannot be transformed. */
export type Transformation =
  | {
      kind: 'picture';
      options: ImageOptions;
      /** For a video: the time of the frame that becomes the picture, in seconds. */
      frameTime: number | undefined;
    }
  | { kind: 'transcode'; options: LayeredVideo }
  /** A text about files that are transcoded. */
  | { kind: 'playlist'; options: LayeredVideo }
  | { kind: 'impossible' };

/** What a delivery URL asks for. Without a transformation it is the original, byte for byte. */
export interface ReadableRequest {
  path: StoragePath;
  type: MediaType;
  /** The transformation as it was written, decoded; empty when there is none. */
  segment: string;
  transformation: Transformation | undefined;
}

/** The same, before it is known whether the first segment is the name of a folder after all. */
export interface DeliveryRequest extends Omit<ReadableRequest, 'transformation'> {
  transformation: Transformation | { kind: 'refused'; problem: HttpProblem } | undefined;
}

/**
 * Reads what follows `/t/` in a URL, percent-encoded as it arrived and without the query. Only the first segment can be
 * a transformation, and only when a path follows it.
 * @throws HttpProblem 400 for a bad path or a value out of range that no folder is named after, 404 for no path at all
 */
export function readDeliveryUrl(raw: string, rules: UrlRules): DeliveryRequest {
  const [first = '', ...rest] = raw.split('/').filter((segment) => segment !== '');
  if (first === '') throw notFound('Expected a path after "/t/", received none.');
  if (rest.length > 0) {
    refuseLongTransformation(first);
    const path = parseUrlPath(rest.join('/'));
    const type = mediaTypeOf(path);
    const segment = decodeSegment(first);
    const transformation = readOrRefuse(segment, type, rules);
    if (transformation) return { path, type, segment, transformation };
  }
  return originalAt(parseUrlPath(raw));
}

/** The request for a file in the folder that has the name of a transformation, where URLs could ask for that before. */
export function asFolder({ path, segment }: DeliveryRequest, rules: UrlRules): ReadableRequest | undefined {
  if (!isLate(segment, rules)) return undefined;
  try {
    return originalAt(parsePath(`${segment}/${path}`));
  } catch (error) {
    // No folder can have that name.
    if (error instanceof HttpProblem) return undefined;
    throw error;
  }
}

function originalAt(path: StoragePath): ReadableRequest {
  return { path, type: mediaTypeOf(path), segment: '', transformation: undefined };
}

/** @param written as its URL has it, percent-encoded. No folder has so long a name either. @throws HttpProblem 400 */
export function refuseLongTransformation(written: string): void {
  if (written.length <= MAX_TRANSFORMATION_BYTES) return;
  const message = `Expected a transformation of at most ${MAX_TRANSFORMATION_BYTES} bytes, received ${written.length}.`;
  throw badRequest(message, 'transformation_too_long');
}

const LISTS = [imageSteps, videoSteps];

function isLate(segment: string, rules: UrlRules): boolean {
  const isPreset = presetOf(segment, rules.presets) !== undefined;
  return isPreset || hasLayers(segment) || isLateSegment(segment, LISTS, rules);
}

function readOrRefuse(segment: string, type: MediaType, rules: UrlRules): DeliveryRequest['transformation'] {
  try {
    return readTransformation(segment, type, rules);
  } catch (problem) {
    if (!(problem instanceof HttpProblem) || !isLate(segment, rules)) throw problem;
    return { kind: 'refused', problem };
  }
}

/**
 * Writes what follows `/t/` in the URL of a file: `readDeliveryUrl` reads the same path and the same transformation in it.
 * @param segment the transformation or `n_` and the name of a preset, not encoded; undefined for the original
 * @throws HttpProblem 400 for a segment that is no transformation of this file, and for a path that no URL of an original can have
 */
export function writeDeliveryUrl(path: StoragePath, segment: string | undefined, rules: UrlRules): string {
  const encoded = encodePath(path);
  if (segment !== undefined) {
    requireTransformation(segment, path, rules);
    const written = encodeSegment(segment);
    refuseLongTransformation(written);
    return `${written}/${encoded}`;
  }
  if (readDeliveryUrl(encoded, rules).path !== path) {
    const message = `Expected a path whose first folder does not read like a transformation, received ${quote(path)}.`;
    throw badRequest(message, 'invalid_path');
  }
  return encoded;
}

function requireTransformation(segment: string, path: StoragePath, rules: UrlRules): void {
  const type = mediaTypeOf(path);
  const transformation = readTransformation(segment, type, rules);
  if (!transformation) {
    throw badRequest(`Expected a transformation, received ${quote(segment)}.`, 'invalid_transformation');
  }
  if (transformation.kind === 'impossible') {
    throw untransformable(path, type);
  }
}

/** The 400 for a transformation that is impossible for this type of file. It says what is possible. */
export function untransformable(path: StoragePath, { kind }: MediaType): HttpProblem {
  const what =
    kind === 'audio'
      ? 'Of stored sound there are au_aac, au_opus and au_mp3 with so, eo and ln, its waveform (wf_true) and its facts (f_json)'
      : `Files of the kind ${kind} cannot be transformed`;
  return badRequest(`${what}; the original is at /t/${encodePath(path)}.`, 'untransformable');
}

/** A transformation in a URL, as people write it: commas and colons may stand there. Slashes are those of layers, whose names are encoded twice. */
export function encodeSegment(segment: string): string {
  return encodeURIComponent(segment.replaceAll('/', '%2F')).replaceAll('%2C', ',').replaceAll('%3A', ':');
}

/**
 * Reads a decoded segment, or the preset that it names, for a type of file; undefined when it is no transformation.
 * @throws HttpProblem 400 for a value out of range, and for a text that is too long
 */
export function readTransformation(written: string, type: MediaType, rules: UrlRules): Transformation | undefined {
  // Encoded it is longer still.
  refuseLongTransformation(written);
  const { kind } = type;
  const segment = presetOf(written, rules.presets) ?? written;
  if (kind === 'image') {
    const video = readVideoOfFrames(segment, type, rules);
    if (video) return { kind: 'transcode', options: video };
    const options = parseLayered(segment, imageSteps, [videoSteps], rules);
    return options && { kind: 'picture', options: normalize(options, type), frameTime: undefined };
  }
  if (kind !== 'video') {
    return readOther(segment, kind, rules);
  }
  const made = readVideo(segment, rules);
  if (made && made.kind !== 'picture') refuseHiding(segment);
  return made;
}

/** @throws HttpProblem 400 for values out of range, and for layers that cannot lie over a video */
function readVideo(segment: string, rules: UrlRules): Transformation | undefined {
  const other = readProduct(segment, 'video', rules);
  if (other) return { kind: isPlaylist(other) ? 'playlist' : 'transcode', options: other };
  const read = parseLayered(segment, videoSteps, [imageSteps], rules);
  if (!read) return undefined;
  const { layers, ...options } = read as LayeredOptions<typeof videoSteps>;
  checkVideoOptions(options, rules.videoOutput);
  if (!isFrame(options)) {
    const settled = layOverVideo(normalizeStream(options), layers);
    return { kind: isPlaylist(settled) ? 'playlist' : 'transcode', options: settled };
  }
  // A frame goes through the picture pipeline: its parameters are read as a picture's.
  const asImage = withBase(segment, withoutVideoFormat(baseOf(segment)));
  const frame = parseLayered(asImage, imageSteps, [videoSteps], rules) ?? {};
  return {
    kind: 'picture',
    options: normalize(frame, { hasPages: false, hasFrames: false }),
    frameTime: frameTimeOf(options),
  };
}

/** What is known of sound can be asked for, and its waveform; nothing else can be made of what is neither a picture nor a video. */
function readOther(segment: string, kind: MediaType['kind'], rules: UrlRules): Transformation | undefined {
  if (!parseLayered(segment, [], LISTS, rules)) return undefined;
  const product = kind === 'audio' ? readProduct(segment, 'sound', rules) : undefined;
  if (product) return { kind: 'transcode', options: product };
  if (kind !== 'audio' || formatPartOf(baseOf(segment)) !== 'f_json') return { kind: 'impossible' };
  return { kind: 'picture', options: { format: 'json' }, frameTime: undefined };
}

/**
 * The options without the page where there is only one, and without what facts of the original leave without effect.
 * @throws HttpProblem 400 for a wrong layer, and for a format whose pictures do not move
 */
function normalize({ page, ...others }: ImageOptions, type: Pick<MediaType, 'hasPages' | 'hasFrames'>): ImageOptions {
  const shown = type.hasPages && page !== undefined ? { page } : {};
  const { format, gravity } = others;
  if (format === 'json') return { ...shown, format, ...(gravity === 'face' && { gravity }) };
  checkLayers(others.layers);
  return normalizeFrames({ ...shown, ...others }, type);
}

/** Beside these nothing else is asked for: facts, or a single frame. */
const STRONGER = /^(?:f_json|t_true|t_1)$/;

/**
 * What a segment asks for of a video or of sound that is no video and no single frame: a preview, a storyboard, a waveform. Undefined
 * for other segments.
 * @throws HttpProblem 400 for values out of range, and for what it cannot have
 */
function readProduct(segment: string, source: SourceKind, rules: ParameterRules): VideoOptions | undefined {
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
