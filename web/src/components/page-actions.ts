import { useEffect, useRef } from 'react';
import type { IconName } from './icons.ts';

/** Action of the current page, for the palette. */
export interface PageAction {
  label: string;
  icon: IconName;
  /** Shortcut. */
  keys?: string | undefined;
  run(): void;
}

let current: () => readonly PageAction[] = () => [];

/** Current actions of the page. */
export const pageActions = (): readonly PageAction[] => current();

/** Registers actions while the page is mounted. */
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
