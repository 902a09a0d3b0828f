import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ProgressBar } from 'react-aria-components/ProgressBar';
import { deliveryUrl } from '../../api/files.ts';
import { type Transcode as Job, transcodeQuery } from '../../api/playground.ts';
import type { Asset } from '../../api/types.ts';
import { Button } from '../../components/button.tsx';
import { formatBytes } from '../../components/format.ts';
import { ErrorNotice } from '../../components/states.tsx';
import { messages } from '../../messages/en.ts';
import type { Still } from '../segment.ts';
import { shareOf } from './facts.tsx';

/** A transcode and its progress. */
export interface TranscodeState {
  isRequested: boolean;
  job: Job | undefined;
  error: unknown;
  request(): void;
  retry(): void;
}

/** Queues a transcode on request. Another segment needs another request. */
export function useTranscode(path: string, segment: string): TranscodeState {
  const [requested, setRequested] = useState<string>();
  const isRequested = requested === segment;
  const { data, error, refetch } = useQuery(transcodeQuery(path, segment, isRequested));
  return {
    isRequested,
    job: isRequested ? data : undefined,
    error: isRequested ? error : undefined,
    request: () => setRequested(segment),
    retry: () => void refetch(),
  };
}

interface TranscodeProps {
  source: Asset;
  segment: string;
  state: TranscodeState;
  /** Kind of result, unless it is a video. */
  still: Still | undefined;
  /** Playlist type; undefined for other results. */
  playlistType: string | undefined;
}

/** Requests a transcode and shows its progress, and results that are no video. */
export function Transcode({ source, segment, state, still, playlistType }: TranscodeProps) {
  const { isRequested, job, error, request, retry } = state;
  const problem = error ?? (job?.status === 'error' ? new Error(job.message) : undefined);
  const isStopped = job?.status === 'cancelled';
  return (
    <section className="card transcode" aria-label={messages.playground.transcode}>
      {!isRequested && (
        <>
          <p>
            {still ? messages.playground.sourceOnly : messages.playground.originalOnly}{' '}
            <span className="quiet">{still ? messages.playground.makeText : messages.playground.transcodeText}</span>
          </p>
          <Button variant="main" icon="video" onPress={request}>
            {still ? messages.playground.make : messages.playground.transcode}
          </Button>
        </>
      )}
      {isRequested && !problem && !isStopped && job?.status !== 'completed' && <Progress job={job} />}
      {isStopped && <ErrorNotice error={new Error(messages.playground.cancelled)} onRetry={retry} />}
      {problem != null && <ErrorNotice error={problem} onRetry={retry} />}
      {job?.status === 'completed' && (
        <Ready source={source} segment={segment} still={still} playlistType={playlistType} size={job.size ?? 0} />
      )}
    </section>
  );
}

function Progress({ job }: { job: Job | undefined }) {
  const isRunning = job?.status === 'running';
  const text = isRunning ? messages.playground.transcoding(job.progress) : messages.playground.waiting;
  return (
    <ProgressBar className="transcode-progress" aria-label={messages.playground.transcode} value={job?.progress ?? 0}>
      <span role="status">{text}</span>
      <div className="transcode-track">
        <div style={{ width: `${job?.progress ?? 0}%` }} />
      </div>
    </ProgressBar>
  );
}

function Ready({ source, segment, still, playlistType, size }: Omit<TranscodeProps, 'state'> & { size: number }) {
  const url = deliveryUrl(source.path, segment);
  return (
    <>
      {!isPlayable(still, playlistType) && (still === undefined || still === 'cues') && (
        <a href={url}>{messages.playground.open}</a>
      )}
      {still !== undefined && still !== 'cues' && <img src={url} alt={messages.playground.result} />}
      <p role="status">
        {still === undefined
          ? messages.playground.transcoded(formatBytes(size), shareOf(size, source.size))
          : messages.playground.generated(formatBytes(size))}
      </p>
    </>
  );
}

/** True if the browser plays a result natively: some play HLS, none DASH. */
export function isPlayable(still: Still | undefined, playlistType: string | undefined): boolean {
  if (still !== undefined) return false;
  return playlistType === undefined || document.createElement('video').canPlayType(playlistType) !== '';
}
