import { useRef, useState } from 'react';
import { lazyPart } from '../parts/lazy-part.tsx';
import { ErrorNotice } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';
import { words } from '../words/en.ts';
import { WorkPanel } from './acts/work-panel.tsx';
import { useDrop, useUpload } from './adding/use-upload.tsx';
import { type FilesAddress, useFilesAddress } from './address.ts';
import { nameOf } from './entry.ts';
import { FileGrid } from './grid/file-grid.tsx';
import type { Command } from './grid/keys.ts';
import { NothingHere } from './nothing-here.tsx';
import { NOTHING } from './selection.ts';
import { SelectionBar } from './selection-bar.tsx';
import { Toolbar, type ToolbarProps } from './toolbar.tsx';
import { type FolderPage, useCommands, useFolderPage } from './use-folder-page.ts';
import './acts/acts.css';
import './crumbs.css';
import './files.css';
import './grid/grid.css';
import './grid/list.css';
import './details/details.css';

const Questions = lazyPart(() => import('./acts/acts.tsx').then((acts) => acts.Questions));
const DetailsPanel = lazyPart(
  () => import('./details/details-panel.tsx').then((panel) => panel.DetailsPanel),
  <div className="details" />,
);
const ShortcutsDialog = lazyPart(() => import('./shortcuts-dialog.tsx').then((dialog) => dialog.ShortcutsDialog));

/** `/files/*`: the library. */
export function FilesPage() {
  const address = useFilesAddress();
  useTitle(nameOf(address.folder) || words.files.root);
  // Another folder is another page, whatever was chosen in this one and wherever it was scrolled to.
  return <Folder key={address.folder} address={address} />;
}

function Folder({ address }: { address: FilesAddress }) {
  const { folder, opened, change } = address;
  const page = useFolderPage(address);
  return (
    <div className={`files${opened === undefined ? '' : ' has-details'}`}>
      <h1 className="unseen">{nameOf(folder) || words.files.root}</h1>
      <FolderContent page={page} />
      {opened !== undefined && (
        <DetailsPanel key={opened} path={opened} onAsk={page.setQuestion} onClose={() => change({ open: undefined })} />
      )}
      {page.question && (
        <Questions
          question={page.question}
          folder={folder}
          onClose={() => page.setQuestion(undefined)}
          onDone={(renamed) => {
            page.setSelection(NOTHING);
            if (opened !== undefined) change({ open: renamed }, true);
          }}
        />
      )}
      <WorkPanel />
    </div>
  );
}

function FolderContent({ page }: { page: FolderPage }) {
  const { address, files, count } = page;
  const { folder, q } = address;
  const [isHelping, setHelping] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const upload = useUpload(folder);
  const drop = useDrop(upload.take);
  const onUpload = () => picker.current?.click();
  const { run, searchField } = useCommands(page, { onHelp: () => setHelping(true), onUpload });
  const isEmpty = files.count === 0 && !files.isPending && files.error === undefined;
  return (
    <section className="files-main" aria-label={words.files.title} {...drop.handlers}>
      <Bar page={page} searchField={searchField} picker={picker} onFiles={upload.take} />
      <div className="files-count number" role="status">
        {files.isPending ? '' : words.files.count(files.total, files.isExact, q)}
        {count > 0 && <span className="unseen">{words.files.chosen(count)}</span>}
      </div>
      {files.error !== undefined && <ErrorNotice error={files.error} onRetry={files.retry} />}
      {isEmpty ? <NothingHere address={address} onUpload={onUpload} /> : <Grid page={page} onCommand={run} />}
      {drop.isOver && <div className="drop-here">{words.uploads.drop(nameOf(folder) || words.files.root)}</div>}
      {upload.dialog}
      {isHelping && <ShortcutsDialog onClose={() => setHelping(false)} />}
    </section>
  );
}

function Grid({ page, onCommand }: { page: FolderPage; onCommand(command: Command): void }) {
  const { address, files, choosing, isSearching } = page;
  const { folder, q } = address;
  return (
    <FileGrid
      // Other results begin at the top.
      key={q}
      label={isSearching ? words.files.found(q) : nameOf(folder) || words.files.root}
      files={files}
      view={address.view}
      selection={page.selection}
      opened={address.opened}
      showsFolder={isSearching}
      focused={choosing.focused}
      onFocus={choosing.setFocused}
      onChoose={choosing.choose}
      onOpen={page.open}
      onCommand={onCommand}
      onRange={page.setRange}
    />
  );
}

interface BarProps extends Pick<ToolbarProps, 'searchField' | 'picker' | 'onFiles'> {
  page: FolderPage;
}

function Bar({ page, ...rest }: BarProps) {
  const { address, files, count } = page;
  if (count === 0)
    return <Toolbar address={address} onNewFolder={() => page.setQuestion({ ask: 'folder' })} {...rest} />;
  return (
    <SelectionBar
      count={count}
      total={page.isSearching ? files.count : files.total}
      onAll={page.chooseAll}
      canDownload={!page.selection.isAll}
      onNone={() => page.setSelection(NOTHING)}
      onAct={page.act}
    />
  );
}
