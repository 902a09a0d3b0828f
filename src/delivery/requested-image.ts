import type { FocalPoint } from '../focal-point.ts';
import { formatLayered } from '../image/layers/segment.ts';
import type { RenderRequest } from '../image/pipeline.ts';
import { type ImageOptions, imageSteps } from '../image/steps/index.ts';
import { type VariantInputs, variantKey } from '../storage/cache/variant-key.ts';
import { acceptsFormat, negotiateFormat } from '../transformation/negotiate.ts';

/** A picture that may be in the cache, with everything that is needed to render it if it is not. */
export interface RequestedImage {
  inputs: VariantInputs;
  options: ImageOptions;
  /** Of a video: where the frame lies, in seconds. */
  frameTime: number | undefined;
  /** `json`: what is known of it. */
  format: RenderRequest['format'] | 'json';
  /** The format without loss that is tried as well. */
  exact: RenderRequest['exact'];
  key: string;
  /** The formats that its file may have. */
  files: readonly string[];
  /** Whether the request's `Accept` header had a say in the format. */
  isNegotiated: boolean;
  /** What the fonts of its texts are known by; undefined without a text. */
  fonts: string | undefined;
}

interface ImageTerms {
  /** Formats that negotiation may not choose. */
  excluded?: readonly string[];
  /** The point that is stored with the original. */
  focal?: FocalPoint | undefined;
  /** What the fonts of its texts are known by. */
  fonts?: string | undefined;
}

/** Names the picture that a request wants. */
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
  // What counts with facts alone is idle without them.
  const image = formatLayered(explicit === 'json' ? all : options, imageSteps);
  const transformation = frameTime === undefined ? image : `${image}@${frameTime}`;
  const key = variantKey({ inputs, fonts, transformation, format: exact ? `${format} or exact ${exact}` : format });
  const files = new Set<string>(format === 'fallback' ? ['jpeg', 'png'] : [format]);
  if (exact) files.add(exact);
  return { inputs, options, frameTime, format, exact, key, files: [...files], isNegotiated, fonts };
}

/** The format without loss that the client takes, and that may have fewer bytes than the one that was negotiated. */
function losslessAlternative(
  format: RequestedImage['format'],
  accept: string | undefined,
  excluded: readonly string[],
): RenderRequest['exact'] {
  if (format === 'fallback') return 'png';
  return acceptsFormat(accept, 'webp') && !excluded.includes('webp') ? 'webp' : undefined;
}

/** Says the stored point aloud, and the middle not at all, so that equal pictures have equal options. */
function withStoredPoint({ gravity = 'focal', ...options }: ImageOptions, focal: FocalPoint | undefined): ImageOptions {
  const settled = gravity === 'focal' ? focal : gravity;
  return settled === undefined || settled === 'center' ? options : { ...options, gravity: settled };
}
