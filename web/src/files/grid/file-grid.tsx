import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { words } from '../../words/en.ts';
import { isChosen, type Selection } from '../selection.ts';
import type { Files } from '../use-listing.ts';
import { GridItem, type GridItemActs } from './grid-item.tsx';
import { type Command, commandOf } from './keys.ts';
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
  onCommand(command: Command): void;
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
  scroller: React.RefObject<HTMLDivElement | null>,
  scrollTo: (row: number) => void,
) {
  const { files, focused, onFocus, onCommand } = props;
  const isMoving = useRef(false);
  useEffect(() => {
    if (!isMoving.current) return;
    isMoving.current = false;
    scroller.current?.querySelector<HTMLElement>(`[data-index="${focused}"]`)?.focus({ preventScroll: true });
  }, [focused, scroller]);
  return (event: KeyboardEvent<HTMLDivElement>) => {
    const isOnItem = event.target instanceof HTMLElement && event.target.dataset.index !== undefined;
    if (!isOnItem) return;
    const rows = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1);
    const command = commandOf(event, { index: focused, count: files.count, columns, rows });
    if (command === undefined) return;
    event.preventDefault();
    if (typeof command === 'object') {
      isMoving.current = true;
      scrollTo(Math.floor(command.move / columns));
      onFocus(command.move);
    }
    onCommand(command);
  };
}

interface RowProps extends FileGridProps {
  row: number;
  start: number;
  layout: Layout;
  isScrolling: boolean;
}

function Row({ row, start, layout, isScrolling, files, view, selection, opened, focused, ...rest }: RowProps) {
  const { columns, rowHeight } = layout;
  const from = row * columns;
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
        isChosen={entry !== undefined && isChosen(selection, entry.path)}
        isChoosing={selection.isAll || selection.items.size > 0}
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
