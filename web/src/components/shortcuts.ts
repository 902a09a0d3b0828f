import { storedChoice } from './stored-choice.ts';

const shortcuts = storedChoice<'on' | 'off'>('darkroom-shortcuts', ['on', 'off']);

/** True if single letters are shortcuts. Users of speech input or with a tremor can turn them off (WCAG 2.1.4). */
export const hasShortcuts = (): boolean => shortcuts.get() === 'on';

export const setShortcuts = (isOn: boolean): void => shortcuts.set(isOn ? 'on' : 'off');

export const useShortcuts = (): boolean => shortcuts.use() === 'on';
