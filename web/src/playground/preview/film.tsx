import type { Asset } from '../../api/types.ts';
import { messages } from '../../messages/en.ts';
import type { Preview } from '../use-preview.ts';
import { fittedWidth } from './editor.tsx';

/** Video on the stage. */
export interface Film {
  /** Path of the transcode, or of the original until that is ready. */
  url: string;
  isTranscoded: boolean;
  /** True if nothing is to be changed. */
  isOriginal: boolean;
  /** False for storyboards and other results that are no video. */
  isVideo: boolean;
  /** Format of the result. */
  format: string | undefined;
  /** Bytes of the result; undefined until it is ready. */
  bytes: number | undefined;
}

interface PlayerProps {
  film: Film;
  source: Asset;
  /** Frame of the result, shown until the video plays. */
  preview: Preview | undefined;
}

/** Plays the transcode, and before that the original behind a frame of the result. */
export function Player({ film: { url, isTranscoded, isOriginal }, source, preview }: PlayerProps) {
  const size = preview?.size ?? { width: source.width || 16, height: source.height || 9 };
  const { players } = messages.playground;
  return (
    <div className="film" style={{ width: fittedWidth(size), aspectRatio: `${size.width} / ${size.height}` }}>
      {/* biome-ignore lint/a11y/useMediaCaption: what people upload comes without. */}
      <video
        key={url}
        src={url}
        poster={isTranscoded ? undefined : preview?.url}
        aria-label={isTranscoded || isOriginal ? players.result : players.original}
        controls
        playsInline
        preload="metadata"
      />
      {!isOriginal && <span className="comparison-side">{isTranscoded ? players.transcoded : players.waiting}</span>}
    </div>
  );
}
