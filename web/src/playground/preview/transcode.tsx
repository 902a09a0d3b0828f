import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ProgressBar } from 'react-aria-components/ProgressBar';
import { urlOf } from '../../api/base.ts';
import { variantPath } from '../../api/paths.ts';
import { type Transcode as Job, transcodeQuery } from '../../api/playground.ts';
import type { Asset } from '../../api/types.ts';
import { Button } from '../../components/button.tsx';
import { formatBytes } from '../../components/format.ts';
import { ErrorNotice } from '../../components/states.tsx';
import { messages } from '../../messages/en.ts';
import type { Still } from '../segment.ts';
import { shareOf } from './facts.tsx';

interface TranscodeProps {
  source: Asset;
  segment: string;
  /** Kind of result, unless it is a video. */
  still: Still | undefined;
  /** Playlist type; undefined for other results. */
  playlistType: string | undefined;
}

/** Queues a transcode on request and shows its result. */
export function Transcode({ source, segment, still, playlistType }: TranscodeProps) {
  const [isRequested, setRequested] = useState(false);
  const { data, error, refetch } = useQuery(transcodeQuery(source.path, segment, isRequested));
  const problem = error ?? (data?.status === 'error' ? new Error(data.message) : undefined);
  const isStopped = data?.status === 'cancelled';
  return (
    <section className="card transcode" aria-label={messages.playground.transcode}>
      {!isRequested && (
        <>
          <p>
            {still ? messages.playground.sourceOnly : messages.playground.frameOnly}{' '}
            <span className="quiet">{still ? messages.playground.makeText : messages.playground.transcodeText}</span>
          </p>
          <Button variant="main" icon="video" onPress={() => setRequested(true)}>
            {still ? messages.playground.make : messages.playground.transcode}
          </Button>
        </>
      )}
      {isRequested && !problem && !isStopped && data?.status !== 'completed' && <Progress job={data} />}
      {isStopped && <ErrorNotice error={new Error(messages.playground.cancelled)} onRetry={refetch} />}
      {problem && <ErrorNotice error={problem} onRetry={refetch} />}
      {data?.status === 'completed' && (
        <Player source={source} segment={segment} still={still} playlistType={playlistType} size={data.size ?? 0} />
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

function Player({ source, segment, still, playlistType, size }: TranscodeProps & { size: number }) {
  const url = urlOf(variantPath(source.path, segment));
  const isUnplayable = still === 'cues' || (playlistType !== undefined && !canPlay(playlistType));
  return (
    <>
      {isUnplayable && <a href={url}>{messages.playground.open}</a>}
      {still !== undefined && still !== 'cues' && <img src={url} alt={messages.playground.result} />}
      {/* biome-ignore lint/a11y/useMediaCaption: what people upload comes without. */}
      {still === undefined && !isUnplayable && <video src={url} controls playsInline />}
      <p role="status">{messages.playground.transcoded(formatBytes(size), shareOf(size, source.size))}</p>
    </>
  );
}

/** True if the browser plays a stream type natively: some play HLS, none DASH. */
function canPlay(type: string): boolean {
  return document.createElement('video').canPlayType(type) !== '';
}
