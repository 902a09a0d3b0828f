import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { ApiError } from '../../api/error.ts';
import { assetQuery, downloadUrl } from '../../api/files.ts';
import { nameOf } from '../../api/paths.ts';
import type { Asset } from '../../api/types.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { formatBytes, formatSeconds } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { ErrorNotice } from '../../components/states.tsx';
import { viewerMessages } from '../../messages/viewer.ts';
import { ICON_OF } from '../entry.ts';
import { TAB_STOP } from '../grid/item-at.ts';
import { AudioPlayer, VideoPlayer } from '../media-player.tsx';
import type { FolderPage } from '../use-folder-page.ts';
import { ImageStage, type KeyHandler, type StageProps } from './image-stage.tsx';
import { ModelStage } from './model-stage.tsx';
import { type Neighbours, useNeighbours } from './use-neighbours.ts';
import { useStepKeys } from './use-step-keys.ts';
import { useSwipe } from './use-swipe.ts';
import './viewer.css';

const STEPS = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 } as const;

interface ViewerProps {
  page: FolderPage;
  path: string;
  onClose(): void;
}

/** Shows a file full screen, and the files before and after it. */
export function Viewer({ page, path, onClose }: ViewerProps) {
  const { data, error, refetch } = useQuery(assetQuery(path));
  const neighbours = useNeighbours(page, path);
  const dialog = useRef<HTMLElement>(null);
  const keys = useRef<KeyHandler>(undefined);
  usePreparedNeighbours(neighbours);
  useStepKeys(dialog, STEPS, neighbours.step, keys);
  useReturnedFocus();
  const name = nameOf(path);
  const asset = data?.path === path ? data : undefined;
  const isDeleted = error instanceof ApiError && error.status === 404;
  if (!asset || isDeleted) keys.current = undefined;
  return (
    <ModalOverlay className="viewer-shade" isOpen onOpenChange={(isOpen) => isOpen || onClose()}>
      <Modal className="viewer-modal">
        <Dialog ref={dialog} className="viewer" aria-label={viewerMessages.label(name)}>
          <header className="viewer-head">
            <div className="viewer-caption">
              <Heading level={2}>{name}</Heading>
              <span className="number">{asset && captionOf(asset)}</span>
            </div>
            <ButtonLink variant="plain" icon="download" href={downloadUrl(path)} aria-label={viewerMessages.download} />
            <Button variant="plain" icon="close" aria-label={viewerMessages.close} onPress={onClose} />
          </header>
          <span className="unseen" role="status">
            {name}
          </span>
          <div className="viewer-main">
            {isDeleted && <p className="viewer-message">{viewerMessages.deleted}</p>}
            {error && !isDeleted && (
              <div className="viewer-message">
                <ErrorNotice error={error} onRetry={refetch} />
              </div>
            )}
            {asset && !isDeleted && (
              <Content key={`${asset.path} ${asset.mtime}`} asset={asset} keys={keys} onStep={neighbours.step} />
            )}
            <StepButton by={-1} neighbours={neighbours} />
            <StepButton by={1} neighbours={neighbours} />
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function captionOf({ kind, width, height, duration, size }: Asset): string {
  const pixels = width !== null && height !== null ? `${width} × ${height}` : '';
  const time = kind !== 'image' && duration !== null ? formatSeconds(duration) : '';
  return [pixels, time, formatBytes(size)].filter(Boolean).join(' · ');
}

function Content(props: StageProps) {
  const { asset, keys } = props;
  const swipe = useSwipe(props.onStep);
  if (asset.kind === 'image') return <ImageStage {...props} />;
  if (asset.type === 'model/gltf-binary') return <ModelStage {...props} />;
  keys.current = undefined;
  return (
    <div className="viewer-stage is-media" {...swipe}>
      {asset.kind === 'video' && <VideoPlayer asset={asset} width={1920} />}
      {asset.kind === 'audio' && <AudioPlayer asset={asset} />}
      {(asset.kind === 'document' || asset.kind === 'model') && (
        <div className="viewer-message">
          <Icon name={ICON_OF[asset.kind]} size={48} />
          <p>{viewerMessages.notShown}</p>
        </div>
      )}
    </div>
  );
}

/** Stays focusable at the end of the listing: a disabled button would lose the focus, and with it the keys. */
function StepButton({ by, neighbours }: { by: 1 | -1; neighbours: Neighbours }) {
  const isPossible = neighbours.has(by);
  return (
    <button
      type="button"
      className={`viewer-step ${by === 1 ? 'is-next' : 'is-previous'}`}
      aria-label={by === 1 ? viewerMessages.next : viewerMessages.previous}
      aria-disabled={!isPossible}
      onClick={() => neighbours.step(by)}
    >
      <Icon name={by === 1 ? 'chevronRight' : 'chevronLeft'} size={24} />
    </button>
  );
}

/** Requests what is known of the files before and after, so that they appear without a delay. */
function usePreparedNeighbours({ pathOf }: Neighbours): void {
  const client = useQueryClient();
  const next = pathOf(1);
  const previous = pathOf(-1);
  useEffect(() => {
    for (const path of [next, previous]) if (path !== undefined) void client.prefetchQuery(assetQuery(path));
  }, [client, next, previous]);
}

/** Element that opens the viewer in the details panel. */
const OPENER = '[data-opens-viewer]';

/**
 * Returns the focus to where the viewer was opened. The details are those of another file by then, and overlays return
 * the focus only to an element that is still there.
 */
function useReturnedFocus(): void {
  // Before the dialog takes the focus.
  const [wasInPanel] = useState(() => document.activeElement?.closest('.details') !== null);
  useEffect(
    () => () => {
      // After React Aria, which waits for one frame.
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          const isLost = () => document.activeElement === document.body || document.activeElement === null;
          // A tile below a sheet takes no focus.
          for (const selector of wasInPanel ? [OPENER, TAB_STOP] : [TAB_STOP, OPENER])
            if (isLost()) document.querySelector<HTMLElement>(selector)?.focus();
        }),
      );
    },
    [wasInPanel],
  );
}
