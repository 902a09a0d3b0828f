import { storedChoice } from './stored-choice.ts';

export type Density = 'comfortable' | 'compact';

/** Size of tiles and rows in the library. */
const density = storedChoice<Density>('darkroom-density', ['comfortable', 'compact']);

export const setDensity = density.set;
export const useDensity = density.use;
