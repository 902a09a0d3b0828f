import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { folderOf, nameOf } from '../../api/paths.ts';
import { isFine, isUnfinished, type Upload } from '../../api/uploads/upload.ts';
import { uploadQueue } from '../../api/uploads/uploads.ts';
import { Button } from '../../components/button.tsx';
import { formatBytes } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { messages } from '../../messages/en.ts';
import { restoreEarlier } from '../versions/restore.ts';

/** Estimated height; rows with an error are higher. */
const ROW = 46;

/** Names of finished uploads; further ones are counted. */
const MAX_NAMED = 5;

/** Unfinished and failed uploads, files left out, and links to those that have arrived. */
export function UploadRows({ onRename }: { onRename(upload: Upload): void }) {
  const { uploads } = uploadQueue;
  return (
    <>
      <OpenRows uploads={uploads.filter((upload) => !isFine(upload))} onRename={onRename} />
      <Arrived uploads={uploads.filter(isFine)} />
    </>
  );
}

interface OpenRowsProps {
  uploads: readonly Upload[];
  onRename(upload: Upload): void;
}

function OpenRows({ uploads, onRename }: OpenRowsProps) {
  const scroller = useRef<HTMLElement>(null);
  // Failed uploads and files left out first: they need attention. Finished ones with a warning are listed too.
  const rows = uploads.toSorted((one, other) => rank(one) - rank(other));
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    // Rows are sorted by their state, so measured heights belong to uploads, not to positions.
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 4,
  });
  if (rows.length === 0) return null;
  return (
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
                onRename={onRename}
                at={index}
                measure={virtual.measureElement}
              />
            )
          );
        })}
      </ul>
    </section>
  );
}

/** Finished uploads by name; each link shows its file. */
function Arrived({ uploads }: { uploads: readonly Upload[] }) {
  if (uploads.length === 0) return null;
  const { uploads: texts } = messages;
  const more = uploads.length - MAX_NAMED;
  return (
    <section className="uploads-done" aria-label={texts.done(uploads.length)}>
      <Icon name="check" size={15} />
      <ul>
        {uploads.slice(0, MAX_NAMED).map((upload) => (
          <li key={upload.id}>
            <FileLink upload={upload} />
          </li>
        ))}
        {more > 0 && <li className="quiet">{texts.andMore(more)}</li>}
      </ul>
    </section>
  );
}

/** Name of an upload, as a link to the stored file. */
function FileLink({ upload: { name, path } }: { upload: Upload }) {
  // The service has not said where the file is.
  if (path === undefined) return name;
  return (
    <Link
      className="uploads-link"
      to="/files/$"
      params={{ _splat: folderOf(path) }}
      search={{ open: path }}
      title={path}
    >
      {nameOf(path)}
    </Link>
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
  onRename(upload: Upload): void;
}

function Row({ upload, at, start, measure, state, sent, onRename }: RowProps) {
  const { name, file, error, warning, problem, isHopeless = false } = upload;
  const { uploads } = messages;
  const said = error ?? (problem && uploads.undecodableReason(problem)) ?? (warning && uploads.warned(warning));
  const isWarned = warning !== undefined || problem !== undefined;
  return (
    <li
      ref={measure}
      data-index={at}
      className={`uploads-row is-${isWarned ? 'warned' : state}`}
      style={{ transform: `translateY(${start}px)` }}
    >
      <span className="uploads-name" title={name}>
        <FileLink upload={upload} />
      </span>
      <span className="uploads-state quiet number">
        {said ??
          (state === 'sending' ? uploads.bytes(formatBytes(sent), formatBytes(file.size)) : uploads.state[state])}
      </span>
      {upload.suggestion && (
        <div className="uploads-help">
          <Button onPress={() => onRename(upload)} aria-label={uploads.renameTo(upload.suggestion.name)}>
            {uploads.rename}
          </Button>
        </div>
      )}
      {problem !== undefined && upload.earlier !== undefined && (
        <div className="uploads-help">
          <Button icon="undo" onPress={() => void restoreEarlier([upload])} aria-label={uploads.restoreOf(name)}>
            {uploads.restore}
          </Button>
        </div>
      )}
      <RowAction upload={upload} state={state} isHopeless={isHopeless} />
    </li>
  );
}

/** Cancels, retries where that may help, or removes the row. */
function RowAction({ upload, state, isHopeless }: { upload: Upload; state: Upload['state']; isHopeless: boolean }) {
  const { uploads } = messages;
  if (state === 'done') return null;
  if (isUnfinished({ state }))
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
