import { useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, type MouseEvent, useState } from 'react';
import { useCan } from '../../api/access.ts';
import { assetQuery, deliveryUrl, updateMetadata } from '../../api/files.ts';
import type { Asset } from '../../api/types.ts';
import { stepOf } from '../../components/arrow-step.ts';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { errorMessage } from '../../components/states.tsx';
import { toast } from '../../components/toasts.tsx';
import { messages } from '../../messages/en.ts';
import { colourOf, ICON_OF } from '../entry.ts';

/** Pixels; wider than the panel, for high-density screens. */
const PREVIEW_WIDTH = 800;

/** Preview of an image, a video or audio. */
export function Preview({ asset }: { asset: Asset }) {
  const { kind, path, mtime, name } = asset;
  const original = deliveryUrl(path, '', mtime);
  if (kind === 'image') return <ImagePreview asset={asset} />;
  if (kind === 'video')
    return (
      <video
        className="preview"
        src={original}
        poster={deliveryUrl(path, `t_true,tt_1,w_${PREVIEW_WIDTH},f_webp`, mtime)}
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

/** Saves or clears the focal point. */
function useFocal(asset: Asset, onSaved: () => void) {
  const client = useQueryClient();
  return (point: Asset['focal']) =>
    void updateMetadata(asset.path, asset.revision, { focal: point }).then(
      (changed) => {
        client.setQueryData(assetQuery(asset.path).queryKey, changed);
        onSaved();
        toast(point ? messages.details.focalSaved : messages.details.focalCleared);
      },
      (error) => toast(errorMessage(error)),
    );
}

type Point = NonNullable<Asset['focal']>;

const inRange = (share: number) => Math.round(1000 * Math.min(1, Math.max(0, share))) / 1000;

/** Moves a point by an arrow key. Undefined for other keys. */
function movedPoint({ x, y }: Point, event: KeyboardEvent): Point | undefined {
  const step = stepOf(event);
  return step && { x: inRange(x + step.x), y: inRange(y + step.y) };
}

/** Relative position of a click in an element. The Enter key has no position: undefined. */
function pointOf({ currentTarget, clientX, clientY, detail }: MouseEvent<HTMLElement>): Point | undefined {
  if (detail === 0) return undefined;
  const { left, top, width, height } = currentTarget.getBoundingClientRect();
  const share = (at: number, size: number) => inRange(at / size);
  return { x: share(clientX - left, width), y: share(clientY - top, height) };
}

/** Maximum share of the viewport height, in percent. */
const MOST_HEIGHT = 44;

/** Reserves the final width before the image loads, to avoid layout shift. */
function frameOf({ width, height }: Asset): { width: string } | undefined {
  return width && height ? { width: `min(100%, ${(MOST_HEIGHT * width) / height}dvh, ${width}px)` } : undefined;
}

/** Image preview with a focal point editor. */
function ImagePreview({ asset }: { asset: Asset }) {
  const { path, mtime, alt, width, height, placeholder } = asset;
  const [isAiming, setAiming] = useState(false);
  const [aimed, setAimed] = useState<Point>();
  const focal = isAiming ? (aimed ?? asset.focal ?? { x: 0.5, y: 0.5 }) : asset.focal;
  const canManage = useCan('manage');
  const keep = useFocal(asset, () => setAiming(false));
  const inside = (
    <>
      <img
        src={deliveryUrl(path, `w_${PREVIEW_WIDTH},c_fit,f_auto`, mtime)}
        alt={alt ?? messages.details.preview}
        style={{ background: colourOf(placeholder), ...(width && height && { aspectRatio: `${width} / ${height}` }) }}
      />
      {focal && (
        <span
          className="focal"
          style={{ insetInlineStart: `${focal.x * 100}%`, insetBlockStart: `${focal.y * 100}%` }}
        />
      )}
    </>
  );
  return (
    <figure className="preview-figure">
      {isAiming ? (
        <button
          type="button"
          className="preview-frame is-aiming"
          style={frameOf(asset)}
          aria-label={messages.details.aim}
          onClick={(event) => keep(pointOf(event) ?? focal)}
          onKeyDown={(event) => {
            const moved = focal && movedPoint(focal, event);
            if (!moved) return;
            event.preventDefault();
            setAimed(moved);
          }}
        >
          {inside}
        </button>
      ) : (
        <div className="preview-frame" style={frameOf(asset)}>
          {inside}
        </div>
      )}
      {canManage && (
        <FocalActions
          isAiming={isAiming}
          hasFocal={asset.focal !== null}
          onAim={(isNow) => {
            setAimed(undefined);
            setAiming(isNow);
          }}
          onClear={() => keep(null)}
        />
      )}
      <span className="unseen" role="status">
        {isAiming && focal && messages.details.aimedAt(Math.round(focal.x * 100), Math.round(focal.y * 100))}
      </span>
    </figure>
  );
}

function FocalActions(props: {
  isAiming: boolean;
  hasFocal: boolean;
  onAim(isAiming: boolean): void;
  onClear(): void;
}) {
  const { isAiming, hasFocal, onAim, onClear } = props;
  return (
    <figcaption className="preview-actions">
      <Button variant="plain" icon="crosshair" onPress={() => onAim(!isAiming)}>
        {isAiming ? messages.cancel : messages.details.setFocal}
      </Button>
      {hasFocal && !isAiming && (
        <Button variant="plain" onPress={onClear}>
          {messages.details.clearFocal}
        </Button>
      )}
      {isAiming && <span className="quiet">{messages.details.aimHint}</span>}
    </figcaption>
  );
}
