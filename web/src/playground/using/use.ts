import { variantPath } from '../../api/paths.ts';
import { expandPreset, type Listing } from '../segment.ts';

/** Input of snippets. */
export interface Use {
  /** Root of the service with a trailing slash: `https://media.example.com/`. */
  base: string;
  path: string;
  segment: string;
  listing: Listing;
  /** Result in pixels; undefined until known. */
  size?: { width: number; height: number } | undefined;
  /** Upright original in pixels: no larger width is offered. Infinite for vector graphics, undefined until known. */
  original?: { width: number; height: number } | undefined;
  alt: string;
  /** `Accept` header of the browser. */
  accept: string;
}

export function urlOfUse({ base, path, segment }: Use): string {
  return base + variantPath(path, segment);
}

export const expanded = ({ segment, listing }: Pick<Use, 'segment' | 'listing'>) =>
  expandPreset(segment, listing.presets);
