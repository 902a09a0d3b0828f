import { useQuery } from '@tanstack/react-query';
import { type MouseEvent, useRef, useState } from 'react';
import { deliveryUrl } from '../api/files.ts';
import { generatedImageQuery } from '../api/generated-image.ts';
import type { Asset } from '../api/types.ts';
import { Icon } from '../components/icon.tsx';
import { messages } from '../messages/en.ts';
import { Undecodable } from './undecodable.tsx';
import './media-player.css';

interface PlayerProps {
  asset: Asset;
  /** Width of the poster in pixels. */
  width: number;
}

/** Video, of which nothing but the poster is loaded before it is played. */
export function VideoPlayer({ asset, width }: PlayerProps) {
  const { path, mtime, name, problem } = asset;
  const [hasFailed, setFailed] = useState(false);
  if (hasFailed) return <NotPlayed asset={asset} />;
  return (
    <>
      {problem !== null && <Undecodable problem={problem} />}
      <video
        className="video-player"
        src={deliveryUrl(path, '', mtime)}
        {...(problem === null && { poster: deliveryUrl(path, `t_true,tt_1,w_${width},f_webp`, mtime) })}
        controls
        playsInline
        preload="none"
        aria-label={name}
        onError={() => setFailed(true)}
      />
    </>
  );
}

/** A colour with enough contrast in both themes: they share one cached variant. */
const WAVEFORM = 'wf_true,w_1200,h_240,co_f0653a';

/** Audio with its waveform, which a job of the service draws once. */
export function AudioPlayer({ asset }: { asset: Asset }) {
  const { path, mtime, name, problem, duration } = asset;
  const player = useRef<HTMLAudioElement>(null);
  const [played, setPlayed] = useState(0);
  const waveform = deliveryUrl(path, WAVEFORM, mtime);
  const { data: state } = useQuery({ ...generatedImageQuery(waveform), enabled: problem === null });
  const [hasFailed, setFailed] = useState(false);
  if (hasFailed) return <NotPlayed asset={asset} />;
  /** Plays from where the waveform was clicked. By keyboard the player does that. */
  const seek = ({ currentTarget, clientX }: MouseEvent<HTMLElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    if (!player.current || !duration) return;
    player.current.currentTime = (duration * (clientX - left)) / width;
    void player.current.play().catch(() => undefined);
  };
  return (
    <div className="audio-player">
      {problem !== null && <Undecodable problem={problem} />}
      {problem === null && state !== 'failed' && (
        <div className="waveform" aria-hidden="true" onClick={seek}>
          {state === 'ready' && <img src={waveform} alt="" draggable={false} />}
          {played > 0 && <span style={{ inlineSize: `${100 * played}%` }} />}
        </div>
      )}
      <audio
        ref={player}
        src={deliveryUrl(path, '', mtime)}
        controls
        preload="none"
        aria-label={name}
        onTimeUpdate={({ currentTarget: { currentTime, duration: whole } }) =>
          setPlayed(Number.isFinite(whole) && whole > 0 ? currentTime / whole : 0)
        }
        onError={() => setFailed(true)}
      />
    </div>
  );
}

/** The browser cannot play a file. The service may know why. */
function NotPlayed({ asset: { problem } }: { asset: Asset }) {
  if (problem !== null) return <Undecodable problem={problem} />;
  return (
    <p className="notice">
      <Icon name="info" />
      {messages.details.notPlayed}
    </p>
  );
}
