import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { hasShortcuts } from '../../parts/shortcuts.ts';
import { words } from '../../words/en.ts';
import type { Clip } from '../acts/clipboard.ts';
import { countOf, isChosen, type Selection } from '../selection.ts';
import type { Files } from '../use-listing.ts';
import { GridItem, type GridItemActs } from './grid-item.tsx';
import { type Command, commandOf } from './keys.ts';
import { TypeAhead } from './type-ahead.ts';
import { type Layout, useLayout, type View } from './use-layout.ts';

interface FileGridProps extends GridItemActs {
  label: string;
  files: Files;
  view: View;
  selection: Selection;
  /** The path of the file whose details are shown. */
  opened: string | undefined;
  showsFolder: boolean;
  /** The item that has the focus, or would have it. */
  focused: number;
  onFocus(index: number): void;
  /** The item that gets the focus as soon as it is there. */
  wanted: RefObject<number | undefined>;
  /** What is held to be put elsewhere. */
  clip: Clip | undefined;
  onCommand(command: Command): void;
  onMenu(x: number, y: number, index: number): void;
  /** Which items are in view. */
  onRange(range: readonly [number, number]): void;
}

/** A grid of any number of files: only what is in view is there. Its keys are those of ARIA's grid. */
export function FileGrid(props: FileGridProps) {
  const { files, view, focused, onRange } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const layout = useLayout(scroller, view);
  const { columns, rowHeight } = layout;
  const rowCount = Math.ceil(files.count / columns);
  const focusedRow = Math.floor(focused / columns);
  const virtual = useVirtualizer({
    count: rowCount,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 3,
    // The item that the tab key comes back to stays, however far it has scrolled out.
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) => {
      const [first, last] = [Math.max(0, startIndex - overscan), Math.min(count - 1, endIndex + overscan)];
      const rows = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
      if (focusedRow >= count || (focusedRow >= first && focusedRow <= last)) return rows;
      return focusedRow < first ? [focusedRow, ...rows] : [...rows, focusedRow];
    },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows are measured anew when their height changes
  useEffect(() => virtual.measure(), [rowHeight, virtual]);
  const [first, last] = [virtual.range?.startIndex ?? 0, virtual.range?.endIndex ?? 0];
  useEffect(() => onRange([first * columns, (last + 1) * columns - 1]), [first, last, columns, onRange]);
  const onKeyDown = useGridKeys(props, layout, scroller, (row) => virtual.scrollToIndex(row, { align: 'auto' }));
  return (
    <div
      ref={scroller}
      className={`files-scroll is-${view}`}
      role="grid"
      aria-label={props.label}
      aria-multiselectable="true"
      aria-rowcount={rowCount}
      aria-colcount={view === 'list' ? 5 : columns}
      onKeyDown={onKeyDown}
    >
      {view === 'list' && <ListHead />}
      <div className="files-sizer" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => (
          <Row key={index} {...props} row={index} start={start} layout={layout} isScrolling={virtual.isScrolling} />
        ))}
      </div>
    </div>
  );
}

/** Turns keys into commands. A key that moves takes the focus along, and scrolls to it first where it is out of view. */
function useGridKeys(
  props: FileGridProps,
  { columns, rowHeight }: Layout,
  scroller: RefObject<HTMLDivElement | null>,
  scrollTo: (row: number) => void,
) {
  const { files, focused, wanted, onFocus, onCommand, onMenu } = props;
  const [typeAhead] = useState(() => new TypeAhead());
  useEffect(() => {
    if (wanted.current === undefined) return;
    const item = scroller.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"]`);
    if (!item) return;
    wanted.current = undefined;
    item.focus({ preventScroll: true });
  });
  const moveTo = (index: number) => {
    wanted.current = index;
    scrollTo(Math.floor(index / columns));
    onFocus(index);
  };
  return (event: KeyboardEvent<HTMLDivElement>) => {
    const { target } = event;
    if (!(target instanceof HTMLElement) || target.dataset.index === undefined) return;
    const rows = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1);
    const typing = { hasLetters: hasShortcuts(), isTyping: typeAhead.isTyping };
    const command = commandOf(event, { index: focused, count: files.count, columns, rows }, typing);
    if (command === undefined) return;
    event.preventDefault();
    if (typeof command === 'string' || !('typed' in command)) typeAhead.stop();
    if (command === 'menu') {
      const { left, top, height } = target.getBoundingClientRect();
      onMenu(left + 12, top + Math.min(height, 56) / 2, focused);
    } else if (typeof command === 'object' && 'typed' in command) {
      const { isWanted, isNext } = typeAhead.type(command.typed);
      const found = files.find(focused + (isNext ? 1 : 0), isWanted);
      if (found !== undefined) moveTo(found);
    } else {
      if (typeof command === 'object') moveTo(command.move);
      onCommand(command);
    }
  };
}

interface RowProps extends FileGridProps {
  row: number;
  start: number;
  layout: Layout;
  isScrolling: boolean;
}

function Row({ row, start, layout, isScrolling, files, view, selection, clip, opened, focused, ...rest }: RowProps) {
  const { columns, rowHeight } = layout;
  const from = row * columns;
  const isChoosing = countOf(selection, files.total) > 0;
  const items = Array.from({ length: Math.min(columns, files.count - from) }, (_, at) => {
    const index = from + at;
    const entry = files.get(index);
    return (
      <GridItem
        key={index}
        index={index}
        column={at}
        view={view}
        entry={entry}
        isChosen={entry !== undefined && isChosen(selection, entry.path, index)}
        isCut={entry !== undefined && clip?.act === 'cut' && clip.has(entry.path, index)}
        isChoosing={isChoosing}
        isOpened={entry !== undefined && entry.path === opened}
        isFocused={index === focused}
        isScrolling={isScrolling}
        showsFolder={rest.showsFolder}
        onChoose={rest.onChoose}
        onOpen={rest.onOpen}
        onFocus={rest.onFocus}
      />
    );
  });
  const style = { transform: `translateY(${start}px)`, height: rowHeight };
  if (view === 'list')
    return (
      <div className="files-row" style={style} role="presentation">
        {items}
      </div>
    );
  return (
    <div
      className="files-row"
      role="row"
      aria-rowindex={row + 1}
      style={{ ...style, gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
    >
      {items}
    </div>
  );
}

function ListHead() {
  const { name, kind, pixels, size, time } = words.files.column;
  return (
    <div className="list-head" role="rowgroup">
      <div className="list-columns" role="row">
        {Object.entries({ name, kind, pixels, size, time }).map(([key, label]) => (
          <div key={key} className={`row-${key}`} role="columnheader">
            {label}
          </div>
        ))}
      </div>
    </div>
  );
}
