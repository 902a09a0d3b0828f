import { root } from '../api/base.ts';
import { storedChoice } from './stored-choice.ts';

/** `open`: linked in the navigation. `closed`: dismissed or done. Undefined where the library was never seen empty. */
export type FirstSteps = 'open' | 'closed' | undefined;

const state = storedChoice(`darkroom-first-steps ${root}`, ['', 'open', 'closed']);
const copied = storedChoice(`darkroom-copied ${root}`, ['', '1']);
/** URLs that deliver a file, alone or in code. */
const DELIVERY = /\/(t|authenticated)\//;

/** State of the checklist in this browser. */
export function useFirstSteps(): FirstSteps {
  return state.use() || undefined;
}

export function closeFirstSteps(): void {
  state.set('closed');
}

/** Links the checklist, unless it was dismissed. */
export function openFirstSteps(): void {
  if (state.get() === '') state.set('open');
}

/** Remembers that the URL of a file was copied, alone or in code. */
export function rememberCopied(text: string): void {
  if (DELIVERY.test(text)) copied.set('1');
}

/** True if the URL of a file was copied in this browser. */
export function useHasCopied(): boolean {
  return copied.use() !== '';
}
