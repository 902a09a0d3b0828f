import { countOf, isChosen } from '../selection.ts';
import { GridItem } from './grid-item.tsx';
import type { GridProps } from './grid-props.ts';
import type { Layout } from './use-layout.ts';

interface RowProps extends GridProps {
  row: number;
  start: number;
  layout: Layout;
  isScrolling: boolean;
}

/** Row of tiles, or row of the list. */
export function Row(props: RowProps) {
  const { row, start, layout, files, view } = props;
  const { columns, rowHeight, gap, padding } = layout;
  const from = row * columns;
  const indices = Array.from({ length: Math.min(columns, files.count - from) }, (_, at) => from + at);
  const items = indices.map((index) => <Item key={index} {...props} index={index} column={index - from} />);
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
      style={{ ...style, gap, paddingInline: padding, gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
    >
      {items}
    </div>
  );
}

function Item(props: RowProps & { index: number; column: number }) {
  const { index, column, files, view, selection, clip, opened, focused } = props;
  const entry = files.get(index);
  return (
    <GridItem
      index={index}
      column={column}
      view={view}
      entry={entry}
      isChosen={entry !== undefined && isChosen(selection, entry.path, index)}
      isCut={entry !== undefined && clip?.action === 'cut' && clip.has(entry.path, index)}
      isChoosing={!selection.isGiven && countOf(selection, files.count) > 0}
      isOpened={entry !== undefined && entry.path === opened}
      isFocused={index === focused}
      isScrolling={props.isScrolling}
      showsFolder={props.showsFolder}
      isPrivate={entry?.kind === 'folder' && props.isPrivate(entry.path)}
      onChoose={props.onChoose}
      onOpen={props.onOpen}
      onFocus={props.onFocus}
    />
  );
}
