import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { useCan } from '../../api/access.ts';
import { ApiError } from '../../api/error.ts';
import { assetQuery, downloadUrl } from '../../api/files.ts';
import { nameOf } from '../../api/paths.ts';
import type { Asset } from '../../api/types.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { Menu, MenuItem, MenuLine } from '../../components/menu.tsx';
import { Empty, ErrorNotice, Skeleton } from '../../components/states.tsx';
import { NARROW, useMedia } from '../../components/use-media.ts';
import { messages } from '../../messages/en.ts';
import { viewerMessages } from '../../messages/viewer.ts';
import type { DialogRequest } from '../actions/action-dialogs.tsx';
import { keysOf } from '../commands.ts';
import { TAB_STOP } from '../grid/item-at.ts';
import type { FolderPage } from '../use-folder-page.ts';
import { VersionsSection } from '../versions/versions-section.tsx';
import { useNeighbours } from '../viewer/use-neighbours.ts';
import { useStepKeys } from '../viewer/use-step-keys.ts';
import { Addresses } from './addresses.tsx';
import { Facts } from './facts.tsx';
import { MetadataForm, UnsavedTexts } from './metadata-form.tsx';
import { OldUrls } from './old-urls.tsx';
import { Preview } from './preview.tsx';
import { useSwipeToClose } from './use-swipe-to-close.ts';
import { Variants } from './variants.tsx';

interface DetailsPanelProps {
  page: FolderPage;
  path: string;
  onClose(): void;
}

/** Details and metadata of a file. */
export function DetailsPanel({ page, path, onClose }: DetailsPanelProps) {
  const { address, begin } = page;
  const { data, error, refetch } = useQuery({ ...assetQuery(path), placeholderData: keepPreviousData });
  const canManage = useCan('manage');
  const panel = useRef<HTMLElement>(null);
  const isSheet = useMedia(NARROW);
  const swipe = useSwipeToClose(onClose);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another file is shown from its beginning
  useEffect(() => {
    panel.current?.scrollTo(0, 0);
  }, [path]);
  useSheetFocus(panel, isSheet);
  const isDeleted = error instanceof ApiError && error.status === 404;
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the panel is closed by a button and Escape too */}
      {isSheet && <div className="details-shade" role="presentation" onClick={onClose} />}
      <aside
        ref={panel}
        className="details"
        {...(isSheet && swipe)}
        tabIndex={-1}
        aria-label={messages.details.label(nameOf(path))}
        onKeyDown={(event) => isClosing(event) && onClose()}
      >
        <header className="details-head">
          <h2 title={path}>{nameOf(path)}</h2>
          {/* The viewer steps by itself. */}
          {isSheet && !address.isFull && <Steps page={page} path={path} panel={panel} />}
          <ButtonLink
            variant="plain"
            icon="download"
            href={downloadUrl(path)}
            aria-label={messages.files.action.download}
          />
          {canManage && <ActionMenu path={path} onDialog={begin} />}
          <Button
            variant="plain"
            icon="close"
            aria-label={messages.details.close}
            data-keys={keysOf('none')}
            onPress={onClose}
          />
        </header>
        {isDeleted && (
          <>
            <Empty icon="search" title={messages.details.deleted}>
              {messages.details.deletedText}
            </Empty>
            <UnsavedTexts path={path} />
          </>
        )}
        {error && !isDeleted && <ErrorNotice error={error} onRetry={refetch} />}
        {!data && !error && (
          <>
            <Skeleton height={240} />
            <Skeleton width="60%" />
          </>
        )}
        {data && !isDeleted && (
          // Those of the file before stay until the next one has arrived, and take no words for it.
          <div className="details-parts" inert={data.path !== path}>
            <Parts key={data.path} asset={data} onFull={address.showFull} />
          </div>
        )}
      </aside>
    </>
  );
}

/** Escape, unless it ends the input of a letter, or something above the panel. */
const isClosing = ({ key, defaultPrevented, nativeEvent }: KeyboardEvent) =>
  key === 'Escape' && !defaultPrevented && !nativeEvent.isComposing;

function Parts({ asset, onFull }: { asset: Asset; onFull(): void }) {
  const { path, kind, problem } = asset;
  return (
    <>
      <Preview asset={asset} onFull={onFull} />
      {(kind === 'image' || kind === 'video') && problem === null && (
        <Link className="button details-play" to="/playground/$" params={{ _splat: path }}>
          <Icon name="settings" />
          {messages.details.play}
        </Link>
      )}
      <Addresses asset={asset} />
      <OldUrls path={path} />
      <MetadataForm asset={asset} />
      <Facts asset={asset} />
      <Variants asset={asset} />
      <VersionsSection asset={asset} />
    </>
  );
}

/** A sheet takes the focus, because it covers the grid. When the panel closes, the focus returns to the tile. */
function useSheetFocus(panel: RefObject<HTMLElement | null>, isSheet: boolean): void {
  useEffect(() => {
    if (isSheet && !panel.current?.contains(document.activeElement)) panel.current?.focus({ preventScroll: true });
  }, [panel, isSheet]);
  useLayoutEffect(() => {
    const element = panel.current;
    return () => {
      if (!element?.contains(document.activeElement)) return;
      // Until the end of the update the grid below a sheet takes no focus.
      queueMicrotask(() => document.querySelector<HTMLElement>(TAB_STOP)?.focus());
    };
  }, [panel]);
}

/** Up and down scroll the sheet. */
const STEPS = { ArrowRight: 1, ArrowLeft: -1 } as const;

interface StepsProps extends Pick<DetailsPanelProps, 'page' | 'path'> {
  panel: RefObject<HTMLElement | null>;
}

/** Steps to the files before and after, which the sheet covers. */
function Steps({ page, path, panel }: StepsProps) {
  const { has, step } = useNeighbours(page, path);
  useStepKeys(panel, STEPS, (by) => {
    // What has the focus goes with its file.
    if (document.activeElement?.closest('.details-parts')) panel.current?.focus({ preventScroll: true });
    step(by);
  });
  return (
    <>
      {([-1, 1] as const).map((by) => (
        <Button
          key={by}
          variant="plain"
          icon={by === 1 ? 'chevronRight' : 'chevronLeft'}
          aria-label={by === 1 ? viewerMessages.next : viewerMessages.previous}
          // A disabled button would lose the focus, and with it the keys.
          isPending={!has(by)}
          onPress={() => step(by)}
        />
      ))}
    </>
  );
}

interface ActionMenuProps {
  path: string;
  onDialog(dialog: DialogRequest): void;
}

function ActionMenu({ path, onDialog }: ActionMenuProps) {
  const target = { items: [{ path, kind: 'file' as const }] };
  return (
    <Menu
      label={messages.files.moreActions}
      trigger={<Button variant="plain" icon="more" aria-label={messages.files.moreActions} />}
    >
      <MenuItem icon="pencil" onAction={() => onDialog({ kind: 'rename', path })}>
        {messages.files.action.rename}
      </MenuItem>
      <MenuItem icon="upload" onAction={() => onDialog({ kind: 'replace', path })}>
        {messages.files.action.replace}
      </MenuItem>
      <MenuItem icon="move" onAction={() => onDialog({ kind: 'move', target })}>
        {messages.files.action.move}
      </MenuItem>
      <MenuItem icon="copy" onAction={() => onDialog({ kind: 'copy', target })}>
        {messages.files.action.copy}
      </MenuItem>
      <MenuItem icon="refresh" onAction={() => onDialog({ kind: 'drop', target })}>
        {messages.files.action.drop}
      </MenuItem>
      <MenuLine />
      <MenuItem icon="trash" onAction={() => onDialog({ kind: 'delete', target })}>
        {messages.files.action.delete}
      </MenuItem>
      <MenuItem icon="trash" isDangerous onAction={() => onDialog({ kind: 'deletePermanently', target })}>
        {messages.files.action.deletePermanently}
      </MenuItem>
    </Menu>
  );
}
