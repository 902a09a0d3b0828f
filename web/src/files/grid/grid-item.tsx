import { type MouseEvent, memo, useRef, useState } from 'react';
import { Icon } from '../../components/icon.tsx';
import { messages } from '../../messages/en.ts';
import type { Entry } from '../entry.ts';
import { RowBody, TileBody } from './cells.tsx';
import type { View } from './use-layout.ts';

/** Selection mode: toggle one item, extend the range, or leave nothing but one item. */
export type Choice = 'toggle' | 'range' | 'only';

export interface GridItemActions {
  onChoose(index: number, choice: Choice): void;
  onOpen(entry: Entry): void;
}

interface GridItemProps extends GridItemActions {
  index: number;
  column: number;
  view: View;
  entry: Entry | undefined;
  isChosen: boolean;
  /** Items were selected by hand: a tap selects instead of opening. */
  isChoosing: boolean;
  /** Cut, to be moved. */
  isCut: boolean;
  isOpened: boolean;
  isFocused: boolean;
  isScrolling: boolean;
  showsFolder: boolean;
  isPrivate: boolean;
  onFocus(index: number): void;
}

/** Longer than a tap. */
const LONG_PRESS_MS = 450;

/** Focusable and selectable tile or row. */
export const GridItem = memo(function GridItem(props: GridItemProps) {
  const { index, column, view, entry, isChosen, isFocused } = props;
  const [isHovered, setHovered] = useState(false);
  const pointer = usePointer(props);
  const isList = view === 'list';
  const Body = isList ? RowBody : TileBody;
  const checkbox = (
    <span className="item-checkbox" aria-hidden="true" data-checkbox="" data-tip={messages.files.keys.toggle}>
      {isChosen && <Icon name="check" size={14} />}
    </span>
  );
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: rows and cells of a grid can be chosen
    <div
      className={classOf(props)}
      role={isList ? 'row' : 'gridcell'}
      aria-selected={isChosen}
      {...(props.isCut && { 'aria-description': messages.files.isCut })}
      {...(isList ? { 'aria-rowindex': index + 2 } : { 'aria-colindex': column + 1 })}
      tabIndex={isFocused ? 0 : -1}
      data-index={index}
      {...(entry?.kind === 'folder' && { 'data-folder': entry.path })}
      {...pointer}
      onPointerEnter={({ pointerType }) => setHovered(pointerType !== 'touch')}
      onPointerLeave={() => setHovered(false)}
    >
      {checkbox}
      {(isFocused || isHovered) && entry && <ItemButtons isFile={entry.kind !== 'folder'} />}
      <Body entry={entry} isScrolling={props.isScrolling} showsFolder={props.showsFolder} isPrivate={props.isPrivate} />
    </div>
  );
});

/** Shown on hover and focus. By keyboard and screen reader the menu has both actions. */
function ItemButtons({ isFile }: { isFile: boolean }) {
  return (
    <span className="item-buttons" aria-hidden="true">
      {isFile && (
        <span data-button="url" data-tip={messages.files.copyUrl(1)}>
          <Icon name="link" size={15} />
        </span>
      )}
      <span data-button="menu" data-tip={messages.files.moreActions}>
        <Icon name="more" size={15} />
      </span>
    </span>
  );
}

function classOf({ view, isChosen, isCut, isOpened }: GridItemProps): string {
  const states = [isChosen && 'is-chosen', isCut && 'is-cut', isOpened && 'is-opened'];
  return [view === 'list' ? 'row list-columns' : 'tile', ...states].filter(Boolean).join(' ');
}

/** Clicks with modifiers, and long press. */
function usePointer({ index, entry, isChoosing, onChoose, onOpen, onFocus }: GridItemProps) {
  const press = useRef<{ timer: ReturnType<typeof setTimeout>; isLong: boolean; isTouch: boolean }>(undefined);
  const stop = () => clearTimeout(press.current?.timer);
  return {
    onFocus: () => onFocus(index),
    onPointerDown: ({ pointerType }: { pointerType: string }) => {
      const begun = { isLong: false, isTouch: pointerType === 'touch', timer: setTimeout(() => undefined) };
      press.current = begun;
      if (!begun.isTouch) return;
      begun.timer = setTimeout(() => {
        begun.isLong = true;
        onChoose(index, 'toggle');
      }, LONG_PRESS_MS);
    },
    onPointerUp: stop,
    onPointerCancel: stop,
    onClick: (event: MouseEvent<HTMLElement>) => {
      if (entry === undefined || press.current?.isLong) return;
      const isOn = (part: string) => event.target instanceof Element && event.target.closest(part) !== null;
      // The grid handles its buttons.
      if (isOn('[data-button]')) return;
      const isToggle = isOn('[data-checkbox]') || event.ctrlKey || event.metaKey;
      if (event.shiftKey) return onChoose(index, 'range');
      // After a long press the other items are selected by taps, as on phones everywhere.
      if (isToggle || (isChoosing && press.current?.isTouch)) return onChoose(index, 'toggle');
      // The second click of a double click is not meant for what has moved under the pointer.
      if (event.detail >= 2) return;
      onChoose(index, 'only');
      onOpen(entry);
    },
  };
}
