import type { Asset } from '../../api/types.ts';
import { formatBytes } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { messages } from '../../messages/en.ts';
import type { Preview } from '../use-preview.ts';
import type { Film } from './film.tsx';

const percents = new Intl.NumberFormat('en', { style: 'percent', maximumSignificantDigits: 2 });

/** `12%` */
export const shareOf = (size: number, original: number): string => percents.format(size / Math.max(1, original));

type FactName = keyof typeof messages.playground.facts;

interface FactsProps {
  source: Asset;
  preview: Preview | undefined;
  /** Undefined for images. */
  film: Film | undefined;
}

/** Properties of a result; changes are announced. */
export function Facts({ source, preview, film }: FactsProps) {
  const { facts } = messages.playground;
  const shown: Partial<Record<FactName, string>> | undefined = film
    ? factsOfFilm(film, source, preview)
    : preview && factsOf(preview, source);
  const names = Object.keys(facts).filter((name) => !film || (name !== 'cache' && name !== 'time')) as FactName[];
  return (
    <>
      <dl className="play-facts">
        {names.map((fact) => (
          <div key={fact}>
            <dt>{facts[fact]}</dt>
            <dd className="number" data-fact={fact}>
              {shown?.[fact] ?? '–'}
            </dd>
          </div>
        ))}
      </dl>
      {preview?.isFallback && (
        <p className="notice is-warning">
          <Icon name="alert" />
          {messages.playground.fallback}
        </p>
      )}
      <p className="unseen" role="status">
        {shown && messages.playground.said(shown.pixels ?? '–', shown.size ?? '–', shown.type ?? '–')}
      </p>
    </>
  );
}

const typeName = (type: string) => type.replace(/^\w+\//, '').toUpperCase();

function factsOf({ blob, size, type, cache, duration }: Preview, source: Asset) {
  return {
    pixels: size ? `${size.width} × ${size.height}` : '–',
    size: formatBytes(blob.size),
    // A frame is not compared with its video.
    share: source.kind === 'video' ? '–' : shareOf(blob.size, source.size),
    type: typeName(type),
    cache: cache === undefined ? messages.playground.original : (messages.playground.caches[cache] ?? cache),
    time: messages.playground.milliseconds(duration),
  };
}

/** Bytes are those of the original or of a finished job, never of a frame; only a video is compared with the original. */
function factsOfFilm({ isOriginal, isVideo, format, bytes }: Film, source: Asset, preview: Preview | undefined) {
  // Of other results, the preview shows a frame.
  const size = isOriginal ? source : isVideo ? preview?.size : undefined;
  return {
    pixels: size?.width && size.height ? `${size.width} × ${size.height}` : '–',
    ...(bytes !== undefined && { size: formatBytes(bytes) }),
    ...(bytes !== undefined && isVideo && { share: shareOf(bytes, source.size) }),
    type: isOriginal ? typeName(source.type) : (format?.toUpperCase() ?? '–'),
  };
}
