import { variantPath } from '../../api/paths.ts';
import { expandPreset, type Listing } from '../segment.ts';

/** What is to be written into the code of a site. */
export interface Use {
  /** Where the service is, with a slash at its end: `https://media.example.com/`. */
  base: string;
  path: string;
  segment: string;
  listing: Listing;
  /** Of the result, in pixels; undefined while it is not known. */
  size?: { width: number; height: number } | undefined;
  alt: string;
  /** What the browser says that it takes. */
  accept: string;
}

export function urlOfUse({ base, path, segment }: Use): string {
  return base + variantPath(path, segment);
}

/** The transformation that its segment stands for. */
export const expanded = ({ segment, listing }: Use) => expandPreset(segment, listing.presets);
