import { useEffect, useRef } from 'react';
import type { IconName } from './icons.ts';

/** Something that the page can do, for the palette. */
export interface PageAct {
  label: string;
  icon: IconName;
  /** Its shortcut. */
  keys?: string;
  run(): void;
}

let current: () => readonly PageAct[] = () => [];

/** What the page that is shown can do now. */
export const pageActs = (): readonly PageAct[] => current();

/** Offers what the page can do for as long as it is there. */
export function usePageActs(acts: readonly PageAct[]): void {
  const latest = useRef(acts);
  latest.current = acts;
  useEffect(() => {
    const mine = () => latest.current;
    current = mine;
    return () => {
      if (current === mine) current = () => [];
    };
  }, []);
}
