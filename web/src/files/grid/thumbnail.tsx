import { useEffect, useState } from 'react';
import { deliveryUrl } from '../../api/files.ts';
import { formatSeconds } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { isTransparent, isWhole, thumbnailOf } from '../../components/thumbnails.ts';
import { messages } from '../../messages/en.ts';
import { colourOf, type FileEntry, formatOf, ICON_OF } from '../entry.ts';

interface ThumbnailProps {
  entry: FileEntry;
  /** Side in pixels. */
  size: number;
  /** Images are not requested while scrolling. */
  isScrolling: boolean;
}

/** Thumbnail of a file, or its icon. */
export function Thumbnail({ entry, size, isScrolling }: ThumbnailProps) {
  const [failed, setFailed] = useState('');
  const transformation = thumbnailOf(entry, size);
  const url = transformation === undefined ? undefined : deliveryUrl(entry.path, transformation, entry.mtime);
  const [source, setSource] = useState<string>();
  // Starting many image requests is slow: paint the names first.
  useEffect(() => (isScrolling ? undefined : afterPaint(() => setSource(url))), [isScrolling, url]);
  const isShown = source !== undefined && source !== failed;
  const { placeholder, problem } = entry;
  const isClear = isShown && isTransparent(placeholder);
  const hasGround = isShown && isWhole(entry);
  const isLacking = transformation === undefined || (source !== undefined && source === failed);
  const classes = ['thumb', isClear && 'is-transparent', hasGround && 'is-whole'];
  return (
    <div
      className={classes.filter(Boolean).join(' ')}
      style={hasGround ? undefined : { background: colourOf(placeholder) }}
    >
      {!isShown && <Icon name={problem === null ? ICON_OF[entry.kind] : 'alert'} size={size > 100 ? 30 : 18} />}
      {isLacking && problem === null && size > 100 && (
        <span className="thumb-kind" aria-hidden="true">
          {formatOf(entry)}
        </span>
      )}
      {/* The same element would show the image of another file until that of this one has arrived. */}
      <img
        key={source}
        ref={stopLoading}
        className="thumb-image"
        alt=""
        draggable={false}
        decoding="async"
        hidden={!isShown}
        {...(isShown && { src: source })}
        onError={() => setFailed(source ?? '')}
      />
      {problem !== null && size > 100 && (
        <span className="thumb-problem" title={problem} aria-hidden="true">
          <span>
            {messages.files.undecodable} {problem}
          </span>
        </span>
      )}
      {size > 100 && entry.duration !== null && (
        <span className="thumb-time number" aria-hidden="true">
          {formatSeconds(entry.duration)}
        </span>
      )}
    </div>
  );
}

/** A removed image would continue loading. */
const stopLoading = (image: HTMLImageElement) => () => {
  image.src = '';
};

const waiting = new Set<() => void>();

/** Runs work after the next paint, together with other waiting work. @returns cancels it */
function afterPaint(work: () => void): () => void {
  // A task queued in a frame runs after its paint.
  if (waiting.size === 0) requestAnimationFrame(() => setTimeout(doAll));
  waiting.add(work);
  return () => void waiting.delete(work);
}

function doAll(): void {
  const all = [...waiting];
  waiting.clear();
  for (const work of all) work();
}
