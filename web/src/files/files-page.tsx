import { type MouseEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { useCan, useRootName } from '../api/access.ts';
import { nameOf } from '../api/paths.ts';
import { lazyComponent } from '../components/lazy-component.tsx';
import { ErrorNotice } from '../components/states.tsx';
import { NARROW, useMedia } from '../components/use-media.ts';
import { useTitle } from '../components/use-title.ts';
import { messages } from '../messages/en.ts';
import { useClip } from './actions/clipboard.ts';
import type { MenuPosition } from './actions/context-menu.tsx';
import { filesOf } from './actions/duplicate.ts';
import { WorkPanel } from './actions/work-panel.tsx';
import { UploadFields, useUploadInputs } from './adding/upload-button.tsx';
import { useArrivedUploads } from './adding/use-arrived-uploads.ts';
import { usePaste } from './adding/use-paste.ts';
import { useUpload } from './adding/use-upload.tsx';
import { type FilesAddress, useFilesAddress } from './address.ts';
import { grab, useGrabbed } from './dragging/grab.ts';
import { useFileDrop } from './dragging/use-file-drop.ts';
import { useGrab } from './dragging/use-grab.ts';
import { countFilters } from './filters/filter.ts';
import { FileGrid } from './grid/file-grid.tsx';
import type { Command } from './grid/keys/keys.ts';
import { NothingHere } from './nothing-here.tsx';
import { isChosen, mayContain, NOTHING, sizeOf, targetOfEntry } from './selection.ts';
import { SelectionBar } from './selection-bar.tsx';
import { Toolbar, type ToolbarProps } from './toolbar.tsx';
import { useArrival } from './use-arrival.ts';
import { useCommands } from './use-commands.ts';
import { type FolderPage, useFolderPage } from './use-folder-page.ts';
import { useFollowing, useOpenedFocus } from './use-following.ts';
import './actions/actions.css';
import './dragging/folder-target.css';
import './crumbs.css';
import './files.css';
import './filters/filters.css';
import './grid/grid.css';
import './grid/list.css';
import './details/details.css';

const ActionDialogs = lazyComponent(() =>
  import('./actions/action-dialogs.tsx').then((dialogs) => dialogs.ActionDialogs),
);
const DetailsPanel = lazyComponent(
  () => import('./details/details-panel.tsx').then((panel) => panel.DetailsPanel),
  <div className="details" />,
);
const ShortcutsDialog = lazyComponent(() => import('./shortcuts-dialog.tsx').then((dialog) => dialog.ShortcutsDialog));
const FilterPanel = lazyComponent(() => import('./filters/filter-panel.tsx').then((panel) => panel.FilterPanel));
const FilterChips = lazyComponent(() => import('./filters/filter-chips.tsx').then((chips) => chips.FilterChips));
const DragLayer = lazyComponent(() => import('./dragging/drag-layer.tsx').then((layer) => layer.DragLayer));
const Viewer = lazyComponent(() => import('./viewer/viewer.tsx').then((viewer) => viewer.Viewer));
const ContextMenu = lazyComponent(() => import('./actions/context-menu.tsx').then((menu) => menu.ContextMenu));

/** `/files/*`: the library. */
export function FilesPage() {
  const address = useFilesAddress();
  const root = useRootName();
  useTitle(nameOf(address.folder) || root);
  // Selection and scroll position are reset per folder.
  return (
    <>
      <Folder key={address.folder} address={address} />
      <Dragging />
    </>
  );
}

const letGo = () => grab(undefined);

/** The drag in progress, which goes on in folders that it opens. */
function Dragging() {
  const grabbed = useGrabbed();
  useEffect(() => letGo, []);
  return grabbed && <DragLayer grab={grabbed} onEnd={letGo} />;
}

function Folder({ address }: { address: FilesAddress }) {
  const { folder, opened, change } = address;
  const page = useFolderPage(address);
  const root = useRootName();
  return (
    <div className={`files${opened === undefined ? '' : ' has-details'}`}>
      <h1 className="unseen">{nameOf(folder) || root}</h1>
      <FolderContent page={page} />
      {opened !== undefined && <DetailsPanel page={page} path={opened} onClose={() => change({ open: undefined })} />}
      {opened !== undefined && address.isFull && (
        <Viewer page={page} path={opened} onClose={() => change({ full: undefined }, true)} />
      )}
      {page.dialog && (
        <ActionDialogs
          dialog={page.dialog}
          folder={folder}
          onClose={page.closeDialog}
          onDone={(renamed) => {
            page.setSelection(NOTHING);
            const { dialog } = page;
            const isLeaving = dialog?.kind === 'move' || dialog?.kind === 'deletePermanently';
            if (opened === undefined) return;
            if (isLeaving && mayContain(dialog.target, opened)) change({ open: undefined }, true);
            else if (renamed?.from === opened) change({ open: renamed.to }, true);
          }}
        />
      )}
      <WorkPanel />
    </div>
  );
}

function FolderContent({ page }: { page: FolderPage }) {
  const { address, files } = page;
  const { folder } = address;
  const [isHelping, setHelping] = useState(false);
  const [isFiltering, setFiltering] = useState(false);
  const section = useRef<HTMLElement>(null);
  const inputs = useUploadInputs();
  const upload = useUpload(folder, useArrivedUploads(section, page));
  const canUpload = useCan('upload');
  const root = useRootName();
  const dropped = useFileDrop({ take: canUpload ? upload.take : undefined, onOpen: address.go });
  const onUpload = inputs.chooseFiles;
  const onPaste = usePaste(folder, canUpload ? upload.take : undefined);
  const { run, searchField } = useCommands(page, section, { onHelp: () => setHelping(true), onUpload, onPaste });
  const pendingFocus = useArrival(section, files, page.choosing);
  const menu = useMenu(page);
  // By the details, which are a sheet.
  const isCovered = useMedia(NARROW) && address.opened !== undefined;
  const isEmpty = files.count === 0 && !files.isPending && files.error === undefined;
  return (
    <section
      ref={section}
      className="files-main"
      aria-label={messages.files.title}
      tabIndex={-1}
      inert={isCovered}
      data-folder={folder}
      onContextMenu={menu.onContextMenu}
    >
      <Bar
        page={page}
        searchField={searchField}
        inputs={inputs}
        isFiltering={isFiltering}
        onFilter={() => setFiltering(!isFiltering)}
      />
      <Filtering address={address} isOpen={isFiltering} onClose={() => setFiltering(false)} />
      <Count page={page} />
      {files.error !== undefined && <ErrorNotice error={files.error} onRetry={files.retry} />}
      {isEmpty ? (
        <NothingHere address={address} onUpload={canUpload ? onUpload : undefined} />
      ) : (
        <Grid page={page} pendingFocus={pendingFocus} onCommand={run} onMenu={menu.open} />
      )}
      {dropped !== undefined && <div className="drop-here">{messages.uploads.drop(nameOf(dropped) || root)}</div>}
      {canUpload && <UploadFields inputs={inputs} onFiles={upload.take} />}
      {upload.dialog}
      {isHelping && <ShortcutsDialog onClose={() => setHelping(false)} />}
      {menu.position && (
        <ContextMenu
          position={menu.position}
          privacyOf={page.privacyOf}
          onAction={page.action}
          onCommand={run}
          onClose={menu.close}
        />
      )}
    </section>
  );
}

function Count({ page: { address, files, count, isSearching } }: { page: FolderPage }) {
  return (
    <div className="files-count number" role="status">
      {files.isPending ? '' : messages.files.count(files.count, address.q, isSearching)}
      {count > 0 && <span className="unseen">{messages.files.chosen(count)}</span>}
    </div>
  );
}

/** Context menu of the selection if it contains the item, else of the item. */
function useMenu({ files, selection, chosen, choosing }: FolderPage) {
  const [position, setPosition] = useState<MenuPosition>();
  const open = (x: number, y: number, index?: number) => {
    const entry = index === undefined ? undefined : files.get(index);
    if (index === undefined || entry === undefined) return setPosition({ x, y, target: undefined });
    choosing.setFocused(index);
    const target = isChosen(selection, entry.path, index) ? chosen : targetOfEntry(entry);
    const isOnly = entry.kind !== 'folder' && sizeOf(target) === 1;
    setPosition({ x, y, target, entry: isOnly ? entry : undefined });
  };
  const onContextMenu = (event: MouseEvent) => {
    const on = event.target instanceof Element ? event.target : undefined;
    if (on?.closest('input, .files-bar')) return;
    event.preventDefault();
    const item = on?.closest<HTMLElement>('[data-index]');
    // A long press selects instead.
    if ((event.nativeEvent as PointerEvent).pointerType !== 'touch')
      open(event.clientX, event.clientY, item ? Number(item.dataset.index) : undefined);
  };
  return { position, open, close: () => setPosition(undefined), onContextMenu };
}

/** Filter panel, or chips of the active filter. */
function Filtering({ address, isOpen, onClose }: { address: FilesAddress; isOpen: boolean; onClose(): void }) {
  if (isOpen) return <FilterPanel address={address} onClose={onClose} />;
  const isNarrowed = address.q !== '' || countFilters(address.filter, address.order.kind) > 0;
  return isNarrowed && <FilterChips address={address} />;
}

function labelOf({ q, search, folder }: FilesAddress, root: string): string {
  if (q !== '') return messages.files.found(q);
  return search === undefined ? nameOf(folder) || root : messages.files.filtered;
}

interface GridProps {
  page: FolderPage;
  pendingFocus: RefObject<number | undefined>;
  onCommand(command: Command): void;
  onMenu(x: number, y: number, index: number): void;
}

function Grid({ page, pendingFocus, onCommand, onMenu }: GridProps) {
  const { address, files, choosing, isSearching } = page;
  const root = useRootName();
  useOpenedFocus(address, files, choosing);
  const onGrab = useGrab(page);
  return (
    <FileGrid
      // New results start at the top.
      key={JSON.stringify(address.search)}
      label={labelOf(address, root)}
      files={files}
      view={address.view}
      sorting={address}
      selection={page.selection}
      opened={address.opened}
      showsFolder={isSearching}
      isPrivate={page.isPrivate}
      focused={choosing.focused}
      onFocus={choosing.setFocused}
      onMove={useFollowing(address, files)}
      onChoose={choosing.choose}
      onOpen={page.open}
      pendingFocus={pendingFocus}
      onCommand={onCommand}
      onMenu={onMenu}
      onGrab={onGrab}
      clip={useClip()}
      band={choosing.band}
      onRange={page.setRange}
      revealed={page.revealed}
    />
  );
}

interface BarProps extends Omit<ToolbarProps, 'address' | 'isPrivate' | 'onNewFolder'> {
  page: FolderPage;
}

function Bar({ page, ...rest }: BarProps) {
  const { address, files, count } = page;
  if (count === 0)
    return (
      <Toolbar
        address={address}
        isPrivate={page.isPrivate}
        onNewFolder={() => page.begin({ kind: 'folder' })}
        {...rest}
      />
    );
  return (
    <SelectionBar
      count={count}
      total={files.count}
      onAll={page.chooseAll}
      canDownload={!page.selection.isAll || page.isSearching}
      onNone={() => page.setSelection(NOTHING)}
      privacy={page.privacyOf(page.chosen)}
      files={filesOf(page.chosen)}
      onAction={page.action}
    />
  );
}
