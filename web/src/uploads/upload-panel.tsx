import { useEffect, useRef, useState } from 'react';
import { ProgressBar } from 'react-aria-components/ProgressBar';
import { useInterrupted } from '../api/uploads/interrupted.ts';
import { useUploadNews } from '../api/uploads/news.ts';
import type { Summary } from '../api/uploads/queue.ts';
import { uploadQueue, useUploads } from '../api/uploads/uploads.ts';
import { Button } from '../components/button.tsx';
import { formatBytes } from '../components/format.ts';
import { messages } from '../messages/en.ts';
import { InterruptedUploads } from './interrupted-uploads.tsx';
import { UploadRows } from './upload-rows.tsx';
import './uploads.css';

/** Upload progress, on every page. */
export function UploadPanel() {
  const summary = useUploads();
  const interrupted = useInterrupted();
  if (summary.total === 0 && interrupted.length === 0) return null;
  return (
    <section className="uploads" aria-label={messages.uploads.title}>
      {interrupted.length > 0 && <InterruptedUploads uploads={interrupted} />}
      {summary.total > 0 && <Queue summary={summary} />}
    </section>
  );
}

function Queue({ summary }: { summary: Summary }) {
  const [isOpen, setOpen] = useState(true);
  const { counts, isActive } = summary;
  const title = isActive
    ? messages.uploads.sending(counts.waiting + counts.sending)
    : messages.uploads.over(counts.done, counts.failed, counts.skipped);
  return (
    <>
      <header className="uploads-head">
        <h2 aria-live="polite">{title}</h2>
        <Actions summary={summary} />
        <Button
          variant="plain"
          icon={isOpen ? 'chevronDown' : 'chevronsUpDown'}
          aria-label={isOpen ? messages.uploads.collapse : messages.uploads.expand}
          aria-expanded={isOpen}
          onPress={() => setOpen(!isOpen)}
        />
        {!isActive && (
          <Button variant="plain" icon="close" aria-label={messages.dismiss} onPress={() => uploadQueue.clear()} />
        )}
      </header>
      {isActive && <Progress summary={summary} />}
      <Announcement />
      {isOpen && <UploadRows summary={summary} />}
    </>
  );
}

/** Names for screen readers as files finish. */
function Announcement() {
  const { done, failed } = useUploadNews();
  const { news } = messages.uploads;
  return (
    <p className="unseen" role="status">
      {done.count > 0 && news.done(done.names, done.count)}{' '}
      {failed.count > 0 && news.failed(failed.names, failed.reasons, failed.count)}
    </p>
  );
}

function Progress({ summary }: { summary: Summary }) {
  const left = useTimeLeft(summary);
  const { isPaused, bytes, sent } = summary;
  return (
    <ProgressBar
      className="progress uploads-progress"
      aria-label={messages.uploads.title}
      value={sent}
      maxValue={bytes || 1}
    >
      {({ percentage = 0 }) => (
        <>
          <div className="progress-track">
            <div className="progress-bar" style={{ width: `${percentage}%` }} />
          </div>
          <span className="quiet number">
            {messages.uploads.bytes(formatBytes(sent), formatBytes(bytes))}
            {isPaused ? ` · ${messages.uploads.pausedText}` : left && ` · ${left}`}
          </span>
        </>
      )}
    </ProgressBar>
  );
}

function Actions({ summary: { canRetry, isActive, isPaused } }: { summary: Summary }) {
  return (
    <>
      {canRetry && (
        <Button variant="plain" icon="refresh" onPress={() => uploadQueue.retry()}>
          {messages.uploads.retryAll}
        </Button>
      )}
      {isActive && (
        <>
          <Button
            variant="plain"
            icon={isPaused ? 'play' : 'pause'}
            aria-label={isPaused ? messages.uploads.resume : messages.uploads.pause}
            onPress={() => (isPaused ? uploadQueue.resume() : uploadQueue.pause())}
          />
          <Button
            variant="plain"
            icon="stop"
            aria-label={messages.uploads.cancelAll}
            onPress={() => uploadQueue.cancel()}
          />
        </>
      )}
    </>
  );
}

/** Minimum sample for an estimate. */
const MIN_SAMPLE_MS = 3000;

/** Estimated remaining time at the current rate. */
function useTimeLeft({ sent, bytes, isActive, isPaused }: Summary): string | undefined {
  const begun = useRef<{ at: number; sent: number }>(undefined);
  const isMoving = isActive && !isPaused;
  useEffect(() => {
    if (!isMoving) begun.current = undefined;
  }, [isMoving]);
  if (!isMoving) return undefined;
  begun.current ??= { at: performance.now(), sent };
  const ms = performance.now() - begun.current.at;
  const moved = sent - begun.current.sent;
  if (ms < MIN_SAMPLE_MS || moved <= 0) return undefined;
  return messages.uploads.left(Math.ceil(((bytes - sent) / moved) * (ms / 1000)));
}
