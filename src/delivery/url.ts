import { notFound } from '../errors.ts';
import { type ImageOptions, imageSteps } from '../image/steps/index.ts';
import { type MediaType, mediaTypeOf } from '../media.ts';
import { parseUrlPath, type StoragePath } from '../path.ts';
import type { ParameterLimits, ParameterList } from '../transformation/param.ts';
import { parseSegment } from '../transformation/transformation.ts';

/** What a delivery URL asks for. Without a transformation it is the original, byte for byte. */
export type DeliveryRequest =
  | { path: StoragePath; type: MediaType; transformation: 'none' }
  | { path: StoragePath; type: MediaType; transformation: 'image'; options: ImageOptions }
  | { path: StoragePath; type: MediaType; transformation: 'impossible' };

/**
 * Reads what follows `/t/` in a URL, percent-encoded as it arrived and without the query. Only the first segment can be
 * a transformation, and only when a path follows it.
 * @throws HttpProblem 400 for a bad path or a value out of range, 404 for no path at all
 */
export function readDeliveryUrl(raw: string, limits: ParameterLimits): DeliveryRequest {
  const [first = '', ...rest] = raw.split('/').filter((segment) => segment !== '');
  if (first === '') throw notFound('Expected a path after "/t/", received none.');
  const whole = parseUrlPath(raw);
  if (rest.length === 0) return { path: whole, type: mediaTypeOf(whole), transformation: 'none' };
  const path = parseUrlPath(rest.join('/'));
  return (
    readSegment(decodeURIComponent(first), path, limits) ?? {
      path: whole,
      type: mediaTypeOf(whole),
      transformation: 'none',
    }
  );
}

function readSegment(segment: string, path: StoragePath, limits: ParameterLimits): DeliveryRequest | undefined {
  const type = mediaTypeOf(path);
  if (type.kind === 'image') {
    const options = parseSegment(segment, imageSteps, FOREIGN.image, limits);
    return options && { path, type, transformation: 'image', options };
  }
  return parseSegment(segment, [], FOREIGN.other, limits) && { path, type, transformation: 'impossible' };
}

/** The parameters that a kind of file does not have, but that are known. */
const FOREIGN: Readonly<Record<'image' | 'other', readonly ParameterList[]>> = {
  image: [],
  other: [imageSteps],
};
