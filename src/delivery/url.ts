import { badRequest, HttpProblem, notFound } from '../errors.ts';
import { baseOf, hasLayers, type LayeredOptions, parseLayered, withBase } from '../image/layers/segment.ts';
import { type ImageOptions, imageSteps } from '../image/steps/index.ts';
import { MEDIA_TYPES, type MediaType, mediaTypeOf } from '../media.ts';
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
import { normalizeFrames, readVideoOfFrames } from './moving.ts';
import { type Presets, presetOf } from './presets.ts';

/** Limits of URLs, and the presets that they may name. */
export interface UrlRules extends ParameterRules {
  presets?: Presets;
  /** Largest result of a transcode. */
  videoOutput?: OutputLimits;
}

/** Product requested of a file; `impossible` if the file cannot be transformed. */
export type Transformation =
  | {
      kind: 'picture';
      options: ImageOptions;
      /** For a video: time of the frame that becomes the image, in seconds. */
      frameTime: number | undefined;
    }
  | { kind: 'transcode'; options: LayeredVideo }
  /** A text about transcoded files. */
  | { kind: 'playlist'; options: LayeredVideo }
  | { kind: 'impossible' };

/** The request in a delivery URL. Without a transformation it is the unchanged original. */
export interface ReadableRequest {
  path: StoragePath;
  type: MediaType;
  /** The transformation as written, decoded; empty if there is none. */
  segment: string;
  transformation: Transformation | undefined;
}

/** A request before it is known whether its first segment is the name of a folder. */
export interface DeliveryRequest extends Omit<ReadableRequest, 'transformation'> {
  transformation: Transformation | { kind: 'refused'; problem: HttpProblem } | undefined;
}

/**
 * Parses the text after `/t/` in a URL, percent-encoded as received and without the query. Only the first segment can
 * be a transformation, and only if a path follows it.
 * @throws HttpProblem 400 for a bad path, or a value out of range that no folder can be named after; 404 without a path
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

/** Reads the segment as a folder name, if URLs could request such a folder before it became a transformation. */
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

/** @param written as in its URL, percent-encoded. No folder has a name this long either. @throws HttpProblem 400 */
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
 * Writes the text after `/t/` in the URL of a file; `readDeliveryUrl` reads the same path and transformation from it.
 * @param segment transformation or `n_` and the name of a preset, not encoded; undefined for the original
 * @throws HttpProblem 400 for a segment that is no transformation of this file, and for a path that no URL of an
 * original can have
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

/** Makes the 400 for a transformation that is impossible for this type of file. It lists the possible ones. */
export function untransformable(path: StoragePath, { kind }: MediaType): HttpProblem {
  const what =
    kind === 'audio'
      ? 'Audio can be delivered as au_aac, au_opus and au_mp3 with so, eo and ln, as a waveform (wf_true) and as facts (f_json)'
      : `Files of kind ${kind} cannot be transformed`;
  return badRequest(`${what}; the original is at /t/${encodePath(path)}.`, 'untransformable');
}

/**
 * Encodes a transformation for a URL, leaving commas and colons readable. Slashes belong to layers, whose names are
 * encoded twice.
 */
export function encodeSegment(segment: string): string {
  return encodeURIComponent(segment.replaceAll('/', '%2F')).replaceAll('%2C', ',').replaceAll('%3A', ':');
}

/**
 * Reads a decoded segment, or the preset that it names, for a type of file; undefined if it is no transformation.
 * @throws HttpProblem 400 for a value out of range, and for a text that is too long
 */
export function readTransformation(written: string, type: MediaType, rules: UrlRules): Transformation | undefined {
  // Percent-encoded it is even longer.
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

/** True for a transformation of this type of file, also with a value out of range. */
export function isTransformation(segment: string, type: MediaType, rules: UrlRules): boolean {
  try {
    return readTransformation(segment, type, rules) !== undefined;
  } catch (error) {
    if (error instanceof HttpProblem) return true;
    throw error;
  }
}

/** Returns one line per preset that is a transformation of neither images nor videos. */
export function wrongPresets(rules: UrlRules): string[] {
  return Object.entries(rules.presets ?? {}).flatMap(([name, segment]) => {
    const reasons = MEDIA_TYPES.filter(({ kind }) => kind === 'image' || kind === 'video').map((type) => {
      try {
        return readTransformation(segment, type, { ...rules, presets: {} })
          ? undefined
          : `expected a transformation, received "${segment}"`;
      } catch (error) {
        if (error instanceof HttpProblem) return error.message;
        throw error;
      }
    });
    return reasons.includes(undefined) ? [] : [`PRESETS: ${name}: ${reasons[0]}`];
  });
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
  // A frame goes through the image pipeline, so its parameters are read like those of an image.
  const asImage = withBase(segment, withoutVideoFormat(baseOf(segment)));
  const frame = parseLayered(asImage, imageSteps, [videoSteps], rules) ?? {};
  return {
    kind: 'picture',
    options: normalize(frame, { hasPages: false, hasFrames: false }),
    frameTime: frameTimeOf(options),
  };
}

/** Reads the facts and the waveform of audio; nothing else is possible for files that are neither images nor videos. */
function readOther(segment: string, kind: MediaType['kind'], rules: UrlRules): Transformation | undefined {
  if (!parseLayered(segment, [], LISTS, rules)) return undefined;
  const product = kind === 'audio' ? readProduct(segment, 'sound', rules) : undefined;
  if (product) return { kind: 'transcode', options: product };
  if (kind !== 'audio' || formatPartOf(baseOf(segment)) !== 'f_json') return { kind: 'impossible' };
  return { kind: 'picture', options: { format: 'json' }, frameTime: undefined };
}

/**
 * Drops the page if the file has only one, and parameters without effect on facts.
 * @throws HttpProblem 400 for a wrong layer, and for a format without animation
 */
function normalize({ page, ...others }: ImageOptions, type: Pick<MediaType, 'hasPages' | 'hasFrames'>): ImageOptions {
  const shown = type.hasPages && page !== undefined ? { page } : {};
  const { format, gravity } = others;
  if (format === 'json') return { ...shown, format, ...(gravity === 'face' && { gravity }) };
  checkLayers(others.layers);
  return normalizeFrames({ ...shown, ...others }, type);
}

/** Facts and single frames exclude other products. */
const STRONGER = /^(?:f_json|t_true|t_1)$/;

/**
 * Reads a segment that requests a product of a video or of audio that is neither a video nor a frame, such as a
 * preview; undefined for other segments.
 * @throws HttpProblem 400 for values out of range, and for parameters that the product does not have
 */
function readProduct(segment: string, source: SourceKind, rules: ParameterRules): VideoOptions | undefined {
  const base = baseOf(segment);
  const parts = base.split(',').filter((part) => part !== '');
  if (parts.some((part) => STRONGER.test(part))) return undefined;
  const kind = otherKindIn(base, source, [imageSteps], rules);
  // Videos are animated anyway.
  if (!kind || (kind.kind === 'preview' && parts.some(isVideoFormatPart))) return undefined;
  if (hasLayers(segment)) {
    const message = `${kind.name} has no layers: expected ${base}, received ${quote(segment)}.`;
    throw badRequest(message, 'parameter_out_of_range');
  }
  // Stored audio has no other products, so a parameter without meaning is a mistake.
  const foreign = kind.kind === 'sound' && source === 'sound' ? [] : [imageSteps];
  const options = readOtherKind(base, kind, foreign, rules);
  checkVideoOptions(options);
  return options;
}
