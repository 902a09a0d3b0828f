import { useEffect, useRef, useState } from 'react';
import { ProgressBar } from 'react-aria-components/ProgressBar';
import type { Summary } from '../api/uploads/queue.ts';
import { uploadQueue, useUploads } from '../api/uploads/uploads.ts';
import { Button } from '../components/button.tsx';
import { formatBytes } from '../components/format.ts';
import { messages } from '../messages/en.ts';
import { UploadRows } from './upload-rows.tsx';
import './uploads.css';

/** Upload progress, on every page. */
export function UploadPanel() {
  const summary = useUploads();
  const [isOpen, setOpen] = useState(true);
  if (summary.total === 0) return null;
  const { counts, isActive } = summary;
  const title = isActive
    ? messages.uploads.sending(counts.waiting + counts.sending)
    : messages.uploads.over(counts.done, counts.failed);
  return (
    <section className="uploads" aria-label={messages.uploads.title}>
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
      {isOpen && <UploadRows summary={summary} />}
    </section>
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

function Actions({ summary: { counts, isActive, isPaused } }: { summary: Summary }) {
  return (
    <>
      {counts.failed > 0 && (
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
