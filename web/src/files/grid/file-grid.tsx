import { type MouseEvent, type PointerEvent, useEffect, useRef } from 'react';
import { useDensity } from '../../components/density.ts';
import { copyUrls } from '../actions/copy-urls.ts';
import type { GridProps } from './grid-props.ts';
import { itemAt } from './item-at.ts';
import { useGridKeys } from './keys/use-grid-keys.ts';
import { ListHead } from './list-head.tsx';
import { Row } from './row.tsx';
import { useAnchored } from './use-anchored.ts';
import { type BandActions, useBand } from './use-band.ts';
import { useLayout } from './use-layout.ts';
import { useOpenedInView } from './use-opened-in-view.ts';
import { useRestoredFocus } from './use-restored-focus.ts';
import { useRows } from './use-rows.ts';

interface FileGridProps extends GridProps {
  band: BandActions;
  /** Called with the indices in view. */
  onRange(range: readonly [number, number]): void;
  /** Item to scroll into view, once for each object. */
  revealed: { index: number } | undefined;
}

/** Pixels above the first row: column headers, or space for the focus ring. */
const HEAD = { list: 32, grid: 6 };

/** Virtualised grid with the keys of the ARIA grid pattern. */
export function FileGrid(props: FileGridProps) {
  const { files, view, focused, band: actions, onRange, onCommand, revealed } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const layout = useLayout(scroller, view);
  const density = useDensity();
  const { columns, rowHeight } = layout;
  const count = Math.ceil(files.count / columns);
  const retained = Math.floor(focused / columns);
  const rows = useRows({ scroller, count, rowHeight, head: HEAD[view], isHeadSticky: view === 'list', retained });
  useAnchored(props, layout, rows);
  const [first, last] = rows.range;
  useEffect(() => onRange([first * columns, (last + 1) * columns - 1]), [first, last, columns, onRange]);
  const show = useRef<(index: number) => void>(undefined);
  show.current = (index) => rows.show(Math.floor(index / columns));
  useEffect(() => {
    if (revealed) show.current?.(revealed.index);
  }, [revealed]);
  const onKeyDown = useGridKeys(props, layout, scroller, rows.show);
  useDoubleClick(() => onCommand('full'));
  useOpenedInView(props, columns, rows.show);
  const focusHandlers = useRestoredFocus(scroller, focused);
  const { rectangle, onPointerDown } = useBand({ scroller, rows, layout, count: files.count, actions });
  const onPress = (event: PointerEvent<HTMLElement>) => {
    const item = itemAt(event.target, event.clientX);
    if (item === undefined) onPointerDown(event);
    else if (event.pointerType === 'mouse' && event.button === 0 && !event.shiftKey)
      props.onGrab(item, event.nativeEvent);
  };
  const onClick = ({ target }: MouseEvent) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('[data-button]') : null;
    const index = Number(button?.closest<HTMLElement>('[data-index]')?.dataset.index);
    const entry = files.get(index);
    if (!button || entry === undefined) return;
    const { left, bottom } = button.getBoundingClientRect();
    if (button.dataset.button === 'url') copyUrls([entry.path]);
    else props.onMenu(left, bottom, index);
  };
  return (
    <div
      ref={scroller}
      {...focusHandlers}
      className={`files-scroll is-${view}${density === 'compact' ? ' is-compact' : ''}`}
      role="grid"
      aria-label={props.label}
      aria-multiselectable="true"
      aria-rowcount={count}
      aria-colcount={view === 'list' ? 5 : columns}
      onKeyDown={onKeyDown}
      onPointerDown={onPress}
      onClick={onClick}
    >
      {view === 'list' && <ListHead sorting={props.sorting} />}
      <div className="files-sizer" role="rowgroup" style={{ height: rows.height }}>
        {rows.shown.map((row) => (
          <Row
            key={row}
            {...props}
            row={row}
            start={rows.startOf(row)}
            layout={layout}
            isScrolling={rows.isScrolling}
          />
        ))}
        {rectangle && <div className="files-band" role="presentation" style={rectangle} />}
      </div>
    </div>
  );
}

/** A double click on a tile shows its file full screen. */
function useDoubleClick(onFull: () => void): void {
  const latest = useRef(onFull);
  latest.current = onFull;
  useEffect(() => {
    let isOnTile = false;
    const onClick = ({ target, detail }: globalThis.MouseEvent) => {
      const on = target instanceof Element ? target : undefined;
      if (detail === 1) isOnTile = !!on?.closest('[data-index]') && !on.closest('[data-button], [data-checkbox]');
    };
    // The details that the first click opens move the tile away: the second one may hit them.
    const onDoubleClick = () => isOnTile && latest.current();
    document.addEventListener('click', onClick, true);
    document.addEventListener('dblclick', onDoubleClick);
    return () => {
      document.removeEventListener('click', onClick, true);
      document.removeEventListener('dblclick', onDoubleClick);
    };
  }, []);
}
