import { storedChoice } from './stored-choice.ts';

export type Theme = 'system' | 'light' | 'dark';

/** `theme.js` reads it before the first paint. */
const theme = storedChoice<Theme>('darkroom-theme', ['system', 'light', 'dark'], (value) => {
  if (value === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = value;
});

export const setTheme = theme.set;
export const useTheme = theme.use;
