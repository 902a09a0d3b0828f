import { notFound } from '../errors.ts';
import { type ImageOptions, imageSteps } from '../image/steps/index.ts';
import { type MediaType, mediaTypeOf } from '../media.ts';
import { decodeSegment, parseUrlPath, type StoragePath } from '../path.ts';
import type { ParameterLimits } from '../transformation/param.ts';
import { parseSegment } from '../transformation/transformation.ts';
import type { OutputLimits } from '../video/limits.ts';
import { checkVideoOptions, frameTimeOf, isFrame, withoutVideoFormat } from '../video/options.ts';
import { type VideoOptions, videoSteps } from '../video/steps/index.ts';
import { presetOf } from './presets.ts';

/** What URLs may ask for, and the transformations that they may ask for by name. */
export interface UrlRules extends ParameterLimits {
  presets?: Readonly<Record<string, string>>;
  /** What a transcode may come to. */
  videoOutput?: OutputLimits;
}

/** What is to be made of a file. `impossible` on a file that nothing can be made of. */
export type Transformation =
  | {
      kind: 'picture';
      options: ImageOptions;
      /** Of a video: the seconds into it at which the frame lies that becomes the picture. */
      frameTime: number | undefined;
    }
  | { kind: 'transcode'; options: VideoOptions }
  | { kind: 'impossible' };

/** What a delivery URL asks for. Without a transformation it is the original, byte for byte. */
export interface DeliveryRequest {
  path: StoragePath;
  type: MediaType;
  /** The transformation as it was written, decoded; empty without one. */
  segment: string;
  transformation: Transformation | undefined;
}

/**
 * Reads what follows `/t/` in a URL, percent-encoded as it arrived and without the query. Only the first segment can be
 * a transformation, and only when a path follows it.
 * @throws HttpProblem 400 for a bad path or a value out of range, 404 for no path at all
 */
export function readDeliveryUrl(raw: string, limits: UrlRules): DeliveryRequest {
  const [first = '', ...rest] = raw.split('/').filter((segment) => segment !== '');
  if (first === '') throw notFound('Expected a path after "/t/", received none.');
  if (rest.length > 0) {
    const path = parseUrlPath(rest.join('/'));
    const type = mediaTypeOf(path);
    const segment = decodeSegment(first);
    const transformation = readTransformation(segment, type, limits);
    if (transformation) return { path, type, segment, transformation };
  }
  const whole = parseUrlPath(raw);
  return { path: whole, type: mediaTypeOf(whole), segment: '', transformation: undefined };
}

/**
 * Reads a decoded segment, or the preset that it names, for a type of file; undefined when it is no transformation.
 * @throws HttpProblem 400 for a value out of range
 */
export function readTransformation(written: string, { kind }: MediaType, limits: UrlRules): Transformation | undefined {
  const segment = presetOf(written, limits.presets) ?? written;
  if (kind === 'image') {
    const options = parseSegment(segment, imageSteps, [videoSteps], limits);
    return options && { kind: 'picture', options, frameTime: undefined };
  }
  if (kind !== 'video') {
    return parseSegment(segment, [], [imageSteps, videoSteps], limits) && { kind: 'impossible' };
  }
  const options = parseSegment(segment, videoSteps, [imageSteps], limits);
  if (!options) return undefined;
  checkVideoOptions(options, limits.videoOutput);
  if (!isFrame(options)) return { kind: 'transcode', options };
  // A frame goes through the picture pipeline: its parameters are read as a picture's.
  const frame = parseSegment(withoutVideoFormat(segment), imageSteps, [videoSteps], limits) ?? {};
  return { kind: 'picture', options: frame, frameTime: frameTimeOf(options) };
}
