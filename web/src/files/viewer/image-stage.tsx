import { type ReactNode, useRef, useState } from 'react';
import { deliveryUrl } from '../../api/files.ts';
import type { Asset } from '../../api/types.ts';
import { Button } from '../../components/button.tsx';
import { hasShortcuts } from '../../components/shortcuts.ts';
import { useSettled } from '../../components/use-settled.ts';
import { viewerMessages } from '../../messages/viewer.ts';
import { colourOf } from '../entry.ts';
import { Undecodable } from '../undecodable.tsx';
import { isScalable, pagesOf, sourceFor } from './sources.ts';
import { useGestures } from './use-gestures.ts';
import { type ShownImage, useImage } from './use-image.ts';
import { useZoom, type Zoom } from './use-zoom.ts';
import { PAN, type Point, type Size, STEP } from './zoom.ts';

/** Handles a key of the viewer. Returns false for other keys. */
export type KeyHandler = (key: string) => boolean;

export interface StageProps {
  asset: Asset;
  /** Receives the handler of the keys that the shown file takes for itself. */
  keys: { current: KeyHandler | undefined };
  /** Next (1) or previous (-1) file. */
  onStep(by: 1 | -1): void;
}

/** A larger variant is requested once zooming has paused. */
const SETTLED_MS = 150;

/** Image, or page of a document, with zoom. */
export function ImageStage({ asset, keys, onStep }: StageProps) {
  const stage = useRef<HTMLDivElement>(null);
  const [page, setPage] = useState(1);
  const [slide, setSlide] = useState(0);
  const [natural, setNatural] = useState<Size>();
  const image = sizeOf(asset, natural);
  const zoom = useZoom(stage, image, isScalable(asset));
  const shown = useSource(asset, page, image.width * zoom.view.scale);
  const loaded = shown.loaded?.natural;
  if (loaded && (loaded.width !== natural?.width || loaded.height !== natural.height)) setNatural(loaded);
  const pages = pagesOf(asset);
  const turn = (to: number) => setPage(Math.min(pages, Math.max(1, to)));
  keys.current = (key) => zoomByKey(zoom, key) || (pages > 1 && turnByKey(key, (by) => turn(page + by)));
  const gestures = useGestures(stage, {
    ...zoom,
    isZoomed: !zoom.isFit,
    onSlide: setSlide,
    onSwipe: onStep,
  });
  return (
    <>
      <div ref={stage} className={`viewer-stage${zoom.isFit ? '' : ' is-zoomed'}`} {...gestures}>
        <Picture asset={asset} shown={shown} image={image} zoom={zoom} slide={slide} />
      </div>
      {shown.hasFailed && <Failure asset={asset} onRetry={shown.retry} />}
      <div className="viewer-foot">
        {pages > 1 && <Pages page={page} count={pages} onTurn={turn} />}
        {!shown.hasFailed && <ZoomButtons zoom={zoom} />}
      </div>
    </>
  );
}

/** Pixels at 100 %. Pages of a document may have different shapes. */
function sizeOf({ width, height, ...asset }: Asset, natural: Size | undefined): Size {
  if (width === null || height === null) return natural ?? { width: 1, height: 1 };
  if (pagesOf(asset) > 1 && natural) return { width, height: (width * natural.height) / natural.width };
  return { width, height };
}

/** Loads what the zoom needs; a smaller image stays until then. */
function useSource(asset: Asset, page: number, width: number): ShownImage {
  const settled = useSettled(Math.round(width * devicePixelRatio), SETTLED_MS);
  const most = useRef({ page, width: 0 });
  if (most.current.page !== page) most.current = { page, width: 0 };
  // What has been loaded is good for every smaller view.
  most.current.width = Math.max(most.current.width, settled);
  return useImage(deliveryUrl(asset.path, sourceFor(asset, most.current.width, page), asset.mtime));
}

interface PictureProps {
  asset: Asset;
  shown: ShownImage;
  image: Size;
  zoom: Zoom;
  slide: number;
}

function Picture({ asset, shown, image, zoom, slide }: PictureProps) {
  const { scale, x, y } = zoom.view;
  const { loaded } = shown;
  const style = {
    width: image.width * scale,
    height: image.height * scale,
    transform: `translate(calc(-50% + ${x + slide}px), calc(-50% + ${y}px))`,
  };
  if (!loaded)
    return (
      !shown.hasFailed && (
        <div
          className="viewer-image"
          style={{ ...style, background: colourOf(asset.placeholder) }}
          role="status"
          aria-label={viewerMessages.loading}
        />
      )
    );
  return (
    <img
      className={`viewer-image${asset.hasAlpha ? ' is-transparent' : ''}`}
      style={style}
      src={loaded.url}
      alt={asset.alt ?? asset.name}
      draggable={false}
    />
  );
}

function Failure({ asset, onRetry }: { asset: Asset; onRetry(): void }) {
  return (
    <div className="viewer-message">
      {asset.problem === null ? (
        <>
          <p>{viewerMessages.notLoaded}</p>
          <Button onPress={onRetry}>{viewerMessages.retry}</Button>
        </>
      ) : (
        <Undecodable problem={asset.problem} />
      )}
    </div>
  );
}

const CENTRE: Point = { x: 0, y: 0 };
const PANS: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: PAN, y: 0 },
  ArrowRight: { x: -PAN, y: 0 },
  ArrowUp: { x: 0, y: PAN },
  ArrowDown: { x: 0, y: -PAN },
};

function zoomByKey(zoom: Zoom, key: string): boolean {
  const pan = zoom.isFit ? undefined : PANS[key];
  if (pan) {
    zoom.panBy(pan.x, pan.y);
    return true;
  }
  if (!hasShortcuts()) return false;
  if (key === '+' || key === '=') zoom.zoomBy(STEP, CENTRE);
  else if (key === '-') zoom.zoomBy(1 / STEP, CENTRE);
  else if (key === '0') zoom.toFit();
  else if (key === '1') zoom.toActual();
  else return false;
  return true;
}

function turnByKey(key: string, turn: (by: 1 | -1) => void): boolean {
  if (key === 'ArrowDown' || key === 'PageDown') turn(1);
  else if (key === 'ArrowUp' || key === 'PageUp') turn(-1);
  else return false;
  return true;
}

function Group({ children }: { children: ReactNode }) {
  return <div className="viewer-group">{children}</div>;
}

function ZoomButtons({ zoom }: { zoom: Zoom }) {
  return (
    <Group>
      <Button variant="plain" icon="minus" aria-label={viewerMessages.zoomOut} onPress={() => zoom.zoomBy(1 / STEP)} />
      <span className="viewer-scale number">{viewerMessages.scale(Math.round(zoom.view.scale * 100))}</span>
      <Button variant="plain" icon="plus" aria-label={viewerMessages.zoomIn} onPress={() => zoom.zoomBy(STEP)} />
      <Button variant="plain" icon="fit" aria-label={viewerMessages.fit} onPress={zoom.toFit} />
      <Button variant="plain" icon="actual" aria-label={viewerMessages.actual} onPress={() => zoom.toActual()} />
    </Group>
  );
}

function Pages({ page, count, onTurn }: { page: number; count: number; onTurn(page: number): void }) {
  return (
    <Group>
      <Button variant="plain" icon="up" aria-label={viewerMessages.previousPage} onPress={() => onTurn(page - 1)} />
      <span className="number" role="status">
        {viewerMessages.page(page, count)}
      </span>
      <Button variant="plain" icon="down" aria-label={viewerMessages.nextPage} onPress={() => onTurn(page + 1)} />
    </Group>
  );
}
