import type { Asset } from '../../api/types.ts';
import { formatBytes } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { messages } from '../../messages/en.ts';
import type { Preview } from '../use-preview.ts';

const percents = new Intl.NumberFormat('en', { style: 'percent', maximumSignificantDigits: 2 });

/** `12%` */
export const shareOf = (size: number, original: number): string => percents.format(size / Math.max(1, original));

/** Properties of a result; changes are announced. */
export function Facts({ source, preview }: { source: Asset; preview: Preview | undefined }) {
  const { facts } = messages.playground;
  const shown = preview && factsOf(preview, source);
  return (
    <>
      <dl className="play-facts">
        {(Object.keys(facts) as (keyof typeof facts)[]).map((fact) => (
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
        {shown && messages.playground.said(shown.pixels, shown.size, shown.type)}
      </p>
    </>
  );
}

function factsOf({ blob, size, type, cache, duration }: Preview, source: Asset) {
  return {
    pixels: size ? `${size.width} × ${size.height}` : '–',
    size: formatBytes(blob.size),
    share: shareOf(blob.size, source.size),
    type: type.replace(/^\w+\//, '').toUpperCase(),
    cache: cache === undefined ? messages.playground.original : (messages.playground.caches[cache] ?? cache),
    time: messages.playground.milliseconds(duration),
  };
}
