import { useQueryClient } from '@tanstack/react-query';
import { type MouseEvent, useState } from 'react';
import type { Asset } from '../../api/answers.ts';
import { assetQuery, changeWords, deliveryUrl } from '../../api/files.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { adviceOn } from '../../parts/states.tsx';
import { toast } from '../../parts/toasts.tsx';
import { words } from '../../words/en.ts';
import { colourOf, ICON_OF } from '../entry.ts';

const WIDTH = 800;

/** The picture, the film or the sound itself. */
export function Preview({ asset }: { asset: Asset }) {
  const { kind, path, mtime, name } = asset;
  const original = deliveryUrl(path, '', mtime);
  if (kind === 'image') return <Picture asset={asset} />;
  if (kind === 'video')
    return (
      <video
        className="preview"
        src={original}
        poster={deliveryUrl(path, `t_true,tt_1,w_${WIDTH},f_webp`, mtime)}
        controls
        preload="none"
        aria-label={name}
      />
    );
  if (kind === 'audio')
    return <audio className="preview-audio" src={original} controls preload="none" aria-label={name} />;
  return (
    <div className="preview is-icon">
      <Icon name={ICON_OF[kind]} size={48} />
    </div>
  );
}

/** A picture in which a click says what matters most. */
function Picture({ asset }: { asset: Asset }) {
  const { path, mtime, alt, width, height, placeholder, focal } = asset;
  const [isAiming, setAiming] = useState(false);
  const client = useQueryClient();
  const keep = (point: Asset['focal']) =>
    changeWords(path, asset.revision, { focal: point }).then(
      (changed) => {
        client.setQueryData(assetQuery(path).queryKey, changed);
        setAiming(false);
        toast(point ? words.details.focalKept : words.details.focalCleared);
      },
      (error) => toast(adviceOn(error)),
    );
  const aim = (event: MouseEvent<HTMLElement>) => {
    const { left, top, width: across, height: down } = event.currentTarget.getBoundingClientRect();
    // The enter key clicks without a place: the middle.
    const isKey = event.detail === 0;
    const share = (at: number, from: number, size: number) =>
      Math.round(1000 * Math.min(1, Math.max(0, (at - from) / size))) / 1000;
    void keep(
      isKey ? { x: 0.5, y: 0.5 } : { x: share(event.clientX, left, across), y: share(event.clientY, top, down) },
    );
  };
  const picture = (
    <img
      src={deliveryUrl(path, `w_${WIDTH},c_fit,f_auto`, mtime)}
      alt={alt ?? words.details.preview}
      style={{ background: colourOf(placeholder), ...(width && height && { aspectRatio: `${width} / ${height}` }) }}
    />
  );
  const mark = focal && (
    <span className="focal" style={{ insetInlineStart: `${focal.x * 100}%`, insetBlockStart: `${focal.y * 100}%` }} />
  );
  return (
    <figure className="preview-figure">
      {isAiming ? (
        <button type="button" className="preview-frame is-aiming" aria-label={words.details.aim} onClick={aim}>
          {picture}
          {mark}
        </button>
      ) : (
        <div className="preview-frame">
          {picture}
          {mark}
        </div>
      )}
      <figcaption className="preview-acts">
        <Button look="plain" icon="crosshair" onPress={() => setAiming(!isAiming)}>
          {isAiming ? words.cancel : words.details.setFocal}
        </Button>
        {focal && !isAiming && (
          <Button look="plain" onPress={() => keep(null)}>
            {words.details.clearFocal}
          </Button>
        )}
        {isAiming && <span className="quiet">{words.details.aimHint}</span>}
      </figcaption>
    </figure>
  );
}
