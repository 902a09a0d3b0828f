import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import type { Summary, Upload } from '../api/uploads/queue.ts';
import { uploadQueue } from '../api/uploads/uploads.ts';
import { Button } from '../components/button.tsx';
import { formatBytes } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { messages } from '../messages/en.ts';

/** Estimated height; rows with an error are higher. */
const ROW = 46;

/** Unfinished and failed uploads, and files left out; finished ones are counted. */
export function UploadRows({ summary }: { summary: Summary }) {
  const scroller = useRef<HTMLElement>(null);
  // Failed uploads and files left out first: they need attention. Finished ones with a warning are listed too.
  const open = uploadQueue.uploads.filter(({ state, warning }) => warning !== undefined || state !== 'done');
  const rows = open.toSorted((one, other) => rank(one) - rank(other));
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    // Rows are sorted by their state, so measured heights belong to uploads, not to positions.
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 4,
  });
  const { done } = summary.counts;
  return (
    <>
      {rows.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
        <section ref={scroller} className="uploads-rows" tabIndex={0} aria-label={messages.uploads.list}>
          <ul style={{ height: virtual.getTotalSize() }}>
            {virtual.getVirtualItems().map(({ index, start }) => {
              const upload = rows[index];
              return (
                upload && (
                  <Row
                    key={upload.id}
                    upload={upload}
                    start={start}
                    state={upload.state}
                    sent={upload.sent}
                    at={index}
                    measure={virtual.measureElement}
                  />
                )
              );
            })}
          </ul>
        </section>
      )}
      {done > 0 && (
        <p className="uploads-done quiet">
          <Icon name="check" size={15} />
          {messages.uploads.done(done)}
        </p>
      )}
    </>
  );
}

const rank = ({ state }: Upload) => ({ failed: 0, skipped: 1, sending: 2, waiting: 3, cancelled: 4, done: 5 })[state];

interface RowProps {
  upload: Upload;
  at: number;
  start: number;
  measure(row: HTMLElement | null): void;
  /** Copies of the mutable fields of `upload`, for re-rendering. */
  state: Upload['state'];
  sent: number;
}

function Row({ upload, at, start, measure, state, sent }: RowProps) {
  const { name, file, error, warning, isHopeless = false } = upload;
  const said = error ?? (warning && messages.uploads.warned(warning));
  return (
    <li
      ref={measure}
      data-index={at}
      className={`uploads-row is-${warning === undefined ? state : 'warned'}`}
      style={{ transform: `translateY(${start}px)` }}
    >
      <span className="uploads-name" title={name}>
        {name}
      </span>
      <span className="uploads-state quiet number" title={said}>
        {said ??
          (state === 'sending'
            ? messages.uploads.bytes(formatBytes(sent), formatBytes(file.size))
            : messages.uploads.state[state])}
      </span>
      <RowAction upload={upload} state={state} isHopeless={isHopeless} />
    </li>
  );
}

/** Cancels, retries where that may help, or removes the row. */
function RowAction({ upload, state, isHopeless }: { upload: Upload; state: Upload['state']; isHopeless: boolean }) {
  const { uploads } = messages;
  if (state === 'done') return null;
  if (state === 'waiting' || state === 'sending')
    return (
      <Button
        variant="plain"
        icon="close"
        aria-label={uploads.cancel(upload.name)}
        onPress={() => uploadQueue.cancel(upload)}
      />
    );
  if (state === 'skipped' || isHopeless)
    return (
      <Button
        variant="plain"
        icon="close"
        aria-label={uploads.dismiss(upload.name)}
        onPress={() => uploadQueue.dismiss(upload)}
      />
    );
  return (
    <Button
      variant="plain"
      icon="refresh"
      aria-label={uploads.retry(upload.name)}
      onPress={() => uploadQueue.retry(upload)}
    />
  );
}
