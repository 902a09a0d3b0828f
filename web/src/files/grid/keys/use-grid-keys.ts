import { type KeyboardEvent, type RefObject, useEffect, useState } from 'react';
import { hasShortcuts } from '../../../components/shortcuts.ts';
import type { Files } from '../../use-listing.ts';
import type { GridProps } from '../grid-props.ts';
import type { Layout } from '../use-layout.ts';
import { commandOf } from './keys.ts';
import { TypeAhead } from './type-ahead.ts';

/** Maps keys to commands. Movement scrolls to the target item and focuses it. */
export function useGridKeys(
  props: GridProps,
  { columns, rowHeight }: Layout,
  scroller: RefObject<HTMLDivElement | null>,
  scrollTo: (row: number) => void,
) {
  const { files, focused, pendingFocus, onFocus, onMove, onCommand, onMenu } = props;
  const [typeAhead] = useState(() => new TypeAhead());
  useEffect(() => {
    if (pendingFocus.current === undefined) return;
    const item = scroller.current?.querySelector<HTMLElement>(`[data-index="${pendingFocus.current}"]`);
    if (!item) return;
    pendingFocus.current = undefined;
    item.focus({ preventScroll: true });
  });
  const moveTo = (index: number) => {
    pendingFocus.current = index;
    scrollTo(Math.floor(index / columns));
    onFocus(index);
    onMove(index);
  };
  const openMenuAt = (item: HTMLElement) => {
    const { left, top, height } = item.getBoundingClientRect();
    onMenu(left + 12, top + Math.min(height, 56) / 2, focused);
  };
  const goToName = nameFinder(files, focused, typeAhead, moveTo);
  return (event: KeyboardEvent<HTMLDivElement>) => {
    const { target } = event;
    if (!(target instanceof HTMLElement) || target.dataset.index === undefined) return;
    const rows = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1);
    const typing = { hasLetters: hasShortcuts(), isTyping: typeAhead.isTyping };
    const command = commandOf(event, { index: focused, count: files.count, columns, rows }, typing);
    if (command === undefined || isHeldDelete(event)) return;
    // The browser hands over a copied image after the key.
    if (command !== 'paste') event.preventDefault();
    if (typeof command === 'object' && 'typed' in command) return goToName(command.typed);
    typeAhead.stop();
    if (command === 'menu') return openMenuAt(target);
    if (typeof command === 'object') moveTo(command.move);
    onCommand(command);
  };
}

/** Held down, the key would delete one item after the other. */
const isHeldDelete = ({ key, repeat }: KeyboardEvent) => repeat && key === 'Delete';

/** Moves to the next name that begins with the typed text, also among items that have not arrived. */
function nameFinder(files: Files, focused: number, typeAhead: TypeAhead, moveTo: (index: number) => void) {
  return (letter: string) => {
    const { matches, isNext, start } = typeAhead.type(letter);
    const found = files.find(focused + (isNext ? 1 : 0), matches);
    if (found !== undefined) return moveTo(found);
    const { text } = typeAhead;
    // Discard the result if the user typed on or moved meanwhile.
    files.seek(start).then(
      (index) => index !== undefined && typeAhead.text === text && moveTo(index),
      () => undefined,
    );
  };
}
