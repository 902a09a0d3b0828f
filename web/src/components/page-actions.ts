import { useEffect, useRef } from 'react';
import type { IconName } from './icons.ts';

/** Something that the page can do, for the palette. */
export interface PageAction {
  label: string;
  icon: IconName;
  /** Its shortcut. */
  keys?: string;
  run(): void;
}

let current: () => readonly PageAction[] = () => [];

/** What the page that is shown can do now. */
export const pageActions = (): readonly PageAction[] => current();

/** Offers what the page can do for as long as it is there. */
export function usePageActions(actions: readonly PageAction[]): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const mine = () => latest.current;
    current = mine;
    return () => {
      if (current === mine) current = () => [];
    };
  }, []);
}
