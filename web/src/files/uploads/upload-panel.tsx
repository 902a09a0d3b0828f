import { useRouterState } from '@tanstack/react-router';
import { type RefObject, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { ProgressBar } from 'react-aria-components/ProgressBar';
import { nameOf } from '../../api/paths.ts';
import { useInterrupted } from '../../api/uploads/interrupted.ts';
import { useUploadNews } from '../../api/uploads/news.ts';
import '../../api/uploads/problems.ts';
import type { Summary } from '../../api/uploads/summary.ts';
import type { Upload } from '../../api/uploads/upload.ts';
import { uploadQueue, useUploads } from '../../api/uploads/uploads.ts';
import { setBottomRoom } from '../../components/bottom-room.ts';
import { Button } from '../../components/button.tsx';
import { copyText } from '../../components/copy.ts';
import { formatBytes } from '../../components/format.ts';
import { messages } from '../../messages/en.ts';
import { useUpload } from '../adding/use-upload.tsx';
import { InterruptedUploads } from './interrupted-uploads.tsx';
import { UploadRows } from './upload-rows.tsx';
import './uploads.css';

/** Pixels between the panel and what is above it. */
const GAP = 12;

/** Upload progress, on every page. */
export function UploadPanel() {
  const summary = useUploads();
  const interrupted = useInterrupted();
  const isShown = summary.total > 0 || interrupted.length > 0;
  const panel = useRoom(isShown);
  const hold = useLeaving(summary);
  if (!isShown) return null;
  return (
    <section ref={panel} className="uploads" aria-label={messages.uploads.title} {...hold}>
      {interrupted.length > 0 && <InterruptedUploads uploads={interrupted} />}
      {summary.total > 0 && <Queue summary={summary} />}
    </section>
  );
}

/** Gives the pages as much room at their end as the panel covers. */
function useRoom(isShown: boolean): RefObject<HTMLElement | null> {
  const panel = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const element = panel.current;
    if (!isShown || !element) return;
    const measure = () => setBottomRoom(Math.ceil(element.getBoundingClientRect().height) + GAP);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => {
      observer.disconnect();
      setBottomRoom(0);
    };
  }, [isShown]);
  return panel;
}

/** Long enough to read five names. */
const SHOWN_MS = 10_000;

/**
 * Empties the list when all files have arrived and need no attention, unless the pointer or the focus is on the panel or
 * the tab is in the background. The files stay in the library.
 * @returns handlers of the panel
 */
function useLeaving({ total, isActive, needsAttention }: Summary) {
  const [isHovered, setHovered] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const isSeen = useIsTabVisible();
  const isLeaving = total > 0 && !isActive && !needsAttention && isSeen && !isHovered && !isFocused;
  useEffect(() => {
    if (!isLeaving) return;
    const timer = setTimeout(() => uploadQueue.clear(), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isLeaving]);
  // A panel that has gone reports neither.
  useEffect(() => {
    if (total > 0) return;
    setHovered(false);
    setFocused(false);
  }, [total]);
  return {
    onPointerEnter: () => setHovered(true),
    onPointerLeave: () => setHovered(false),
    onFocus: () => setFocused(true),
    onBlur: () => setFocused(false),
  };
}

const useIsTabVisible = () =>
  useSyncExternalStore(
    (listener) => {
      document.addEventListener('visibilitychange', listener);
      return () => document.removeEventListener('visibilitychange', listener);
    },
    () => !document.hidden,
  );

function Queue({ summary }: { summary: Summary }) {
  const [isOpen, setOpen] = useOpen(summary);
  const renaming = useUpload('', () => undefined);
  const { counts, isActive } = summary;
  const title = isActive
    ? messages.uploads.sending(summary.files)
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
      <Problems done={counts.done} />
      {isOpen && <UploadRows onRename={(upload) => rename(upload, renaming.take)} />}
      {renaming.dialog}
    </>
  );
}

/**
 * True while the panel shows its rows. What stays longer than a few seconds would cover the details and other pages, so
 * it collapses when they open; the next batch opens it.
 */
function useOpen({ batch, isActive, needsAttention }: Summary): [boolean, (isOpen: boolean) => void] {
  const [collapsed, setCollapsed] = useState<number>();
  const place = useRouterState({
    select: ({ matches, location }) => {
      const { open } = location.search as { open?: string };
      return { page: matches.at(-1)?.fullPath ?? '', opened: open };
    },
    structuralSharing: true,
  });
  const before = useRef(place);
  const stays = isActive || needsAttention;
  useEffect(() => {
    const { page, opened } = before.current;
    before.current = place;
    const isCovering = place.page !== page || (place.opened !== undefined && place.opened !== opened);
    if (isCovering && stays) setCollapsed(batch);
  }, [place, stays, batch]);
  return [collapsed !== batch, (isOpen) => setCollapsed(isOpen ? undefined : batch)];
}

/** Sends a refused file again under the suggested name. */
function rename(refused: Upload, take: ReturnType<typeof useUpload>['take']): void {
  const { file, folder, suggestion } = refused;
  if (suggestion === undefined) return;
  const { name, type } = suggestion;
  const renamed = new File([file], nameOf(name), { type, lastModified: file.lastModified });
  take([{ file: renamed, name, refused }], folder);
}

/** Says how many of the stored files cannot be decoded, with the reason if all have the same. */
function Problems({ done }: { done: number }) {
  const problems = uploadQueue.uploads.flatMap(({ problem }) => problem ?? []);
  const reasons = new Set(problems);
  const [reason] = reasons;
  return (
    <p className="uploads-problems" aria-live="polite">
      {problems.length > 0 &&
        messages.uploads.undecodable(problems.length, done, reasons.size === 1 ? reason : undefined)}
    </p>
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
  const { isPaused, bytes, sent, arrived, files } = summary;
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
            {messages.uploads.arrivedOf(arrived, files)}
            {messages.uploads.bytes(formatBytes(sent), formatBytes(bytes))}
            {isPaused ? ` · ${messages.uploads.pausedText}` : left && ` · ${left}`}
          </span>
        </>
      )}
    </ProgressBar>
  );
}

function Actions({ summary: { canRetry, isActive, isPaused } }: { summary: Summary }) {
  const reasons = uploadQueue.uploads.flatMap(({ name, error, problem }) => {
    const reason = error ?? problem;
    return reason === undefined ? [] : messages.uploads.reason(name, reason);
  });
  return (
    <>
      {!isActive && reasons.length > 0 && (
        <Button
          variant="plain"
          icon="copy"
          aria-label={messages.uploads.copyReasons}
          onPress={() => copyText(reasons.join('\n'), messages.copies.reasons)}
        />
      )}
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
