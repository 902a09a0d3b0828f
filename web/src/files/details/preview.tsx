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
import { AudioPlayer, VideoPlayer } from '../media-player.tsx';
import { Undecodable } from '../undecodable.tsx';

/** Pixels; wider than the panel, for high-density screens. */
const PREVIEW_WIDTH = 800;

interface PreviewProps {
  asset: Asset;
  /** Shows the file full screen. */
  onFull(): void;
}

/** Preview of an image, a video or audio. */
export function Preview({ asset, onFull }: PreviewProps) {
  const { kind } = asset;
  if (kind === 'image') return <ImagePreview asset={asset} onFull={onFull} />;
  return (
    <figure className="preview-figure">
      {kind === 'video' && <VideoPlayer key={asset.mtime} asset={asset} width={PREVIEW_WIDTH} />}
      {kind === 'audio' && <AudioPlayer key={asset.mtime} asset={asset} />}
      {(kind === 'model' || kind === 'document') && (
        <div className="preview-icon">
          <Icon name={ICON_OF[kind]} size={48} />
        </div>
      )}
      {kind !== 'document' && (
        <figcaption className="preview-actions">
          <FullButton onFull={onFull} />
        </figcaption>
      )}
    </figure>
  );
}

function FullButton({ onFull }: Pick<PreviewProps, 'onFull'>) {
  return (
    <Button variant="plain" icon="expand" onPress={onFull} data-opens-viewer="">
      {messages.details.full}
    </Button>
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
function ImagePreview({ asset, onFull }: PreviewProps) {
  const { path, mtime, name, alt, width, height, placeholder, hasAlpha, problem } = asset;
  const [isAiming, setAiming] = useState(false);
  const [aimed, setAimed] = useState<Point>();
  const focal = isAiming ? (aimed ?? asset.focal ?? { x: 0.5, y: 0.5 }) : asset.focal;
  const canManage = useCan('manage');
  const keep = useFocal(asset, () => setAiming(false));
  const [hasFailed, setFailed] = useState(false);
  if (problem !== null && hasFailed) return <UndecodableFigure problem={problem} />;
  const inside = (
    <>
      <img
        // The browser may know what the service cannot decode.
        src={deliveryUrl(path, problem === null ? `w_${PREVIEW_WIDTH},c_fit,f_auto` : '', mtime)}
        alt={alt ?? messages.details.preview}
        onError={() => setFailed(true)}
        style={{
          background: hasAlpha ? undefined : colourOf(placeholder),
          ...(width && height && { aspectRatio: `${width} / ${height}` }),
        }}
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
      {problem !== null && <Undecodable problem={problem} />}
      {isAiming ? (
        <button
          type="button"
          className={`preview-frame is-aiming${hasAlpha ? ' is-transparent' : ''}`}
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
        <button
          type="button"
          className={`preview-frame is-opening${hasAlpha ? ' is-transparent' : ''}`}
          style={frameOf(asset)}
          aria-label={messages.details.viewFull(name)}
          onClick={onFull}
          data-opens-viewer=""
        >
          {inside}
        </button>
      )}
      <figcaption className="preview-actions">
        {!isAiming && <FullButton onFull={onFull} />}
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
      </figcaption>
      <span className="unseen" role="status">
        {isAiming && focal && messages.details.aimedAt(Math.round(focal.x * 100), Math.round(focal.y * 100))}
      </span>
    </figure>
  );
}

function UndecodableFigure({ problem }: { problem: string }) {
  return (
    <figure className="preview-figure">
      <Undecodable problem={problem} />
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
    <>
      <Button variant="plain" icon="crosshair" onPress={() => onAim(!isAiming)}>
        {isAiming ? messages.cancel : messages.details.setFocal}
      </Button>
      {hasFocal && !isAiming && (
        <Button variant="plain" onPress={onClear}>
          {messages.details.clearFocal}
        </Button>
      )}
      {isAiming && <span className="quiet">{messages.details.aimHint}</span>}
    </>
  );
}
