import type { FocalPoint } from '../focal-point.ts';
import { formatLayered } from '../image/layers/segment.ts';
import type { RenderRequest } from '../image/pipeline.ts';
import { type ImageOptions, imageSteps } from '../image/steps/index.ts';
import { type VariantInputs, variantKey } from '../storage/cache/variant-key.ts';
import { acceptsFormat, negotiateFormat } from '../transformation/negotiate.ts';

/** An image that may be in the cache, with everything needed to render it. */
export interface RequestedImage {
  inputs: VariantInputs;
  options: ImageOptions;
  /** Time of the frame of a video, in seconds. */
  frameTime: number | undefined;
  /** `json`: the facts of the image. */
  format: RenderRequest['format'] | 'json';
  /** Lossless format that is tried as well. */
  exact: RenderRequest['exact'];
  key: string;
  /** Formats that its file may have. */
  files: readonly string[];
  /** True if the `Accept` header influenced the format. */
  isNegotiated: boolean;
  /** Identifies the fonts of its texts; undefined without a text. */
  fonts: string | undefined;
}

interface ImageTerms {
  /** Formats that negotiation may not choose. */
  excluded?: readonly string[];
  /** Focal point stored with the original. */
  focal?: FocalPoint | undefined;
  /** Identifies the fonts of its texts. */
  fonts?: string | undefined;
}

/** Resolves the options of a request to an image and its variant key. */
export function requestedImage(
  inputs: VariantInputs,
  { options: all, frameTime }: { options: ImageOptions; frameTime: number | undefined },
  accept: string | undefined,
  { excluded = [], focal, fonts }: ImageTerms = {},
): RequestedImage {
  const { format: explicit = 'auto', ...requested } = all;
  const options = explicit === 'json' ? requested : withStoredPoint(requested, focal);
  const isNegotiated = explicit === 'auto' || explicit === 'best';
  const negotiated = isNegotiated ? negotiateFormat(accept, excluded, requested.animated) : explicit;
  const format = requested.animated && negotiated === 'fallback' ? 'gif' : negotiated;
  const exact = explicit === 'best' && !requested.animated ? losslessAlternative(format, accept, excluded) : undefined;
  // Parameters of facts are idle without them.
  const image = formatLayered(explicit === 'json' ? all : options, imageSteps);
  const transformation = frameTime === undefined ? image : `${image}@${frameTime}`;
  const key = variantKey({ inputs, fonts, transformation, format: exact ? `${format} or exact ${exact}` : format });
  const files = new Set<string>(format === 'fallback' ? ['jpeg', 'png'] : [format]);
  if (exact) files.add(exact);
  return { inputs, options, frameTime, format, exact, key, files: [...files], isNegotiated, fonts };
}

/** Returns the lossless format that the client accepts and that may be smaller than the negotiated one. */
function losslessAlternative(
  format: RequestedImage['format'],
  accept: string | undefined,
  excluded: readonly string[],
): RenderRequest['exact'] {
  if (format === 'fallback') return 'png';
  return acceptsFormat(accept, 'webp') && !excluded.includes('webp') ? 'webp' : undefined;
}

/** Makes the stored focal point explicit and the centre implicit, so that equal images have equal options. */
function withStoredPoint({ gravity = 'focal', ...options }: ImageOptions, focal: FocalPoint | undefined): ImageOptions {
  const settled = gravity === 'focal' ? focal : gravity;
  return settled === undefined || settled === 'center' ? options : { ...options, gravity: settled };
}
