import { type KeyboardEvent as ReactKeyboardEvent, type RefObject, useEffect, useRef } from 'react';
import { type Access, useAccess } from '../api/access.ts';
import { folderOf } from '../api/paths.ts';
import { type PageAction, usePageActions } from '../components/page-actions.ts';
import { hasShortcuts } from '../components/shortcuts.ts';
import { messages } from '../messages/en.ts';
import { undo } from './actions/undo.ts';
import { type CommandName, isAllowed, keysOf } from './commands.ts';
import { TAB_STOP } from './grid/item-at.ts';
import { type Command, commandOf } from './grid/keys/keys.ts';
import { targetOfEntry } from './selection.ts';
import type { FileAction } from './selection-bar.tsx';
import type { FolderPage } from './use-folder-page.ts';

/** Runs the command of a key. */
export function useCommands(
  page: FolderPage,
  section: RefObject<HTMLElement | null>,
  handlers: { onHelp(): void; onUpload(): void; onPaste(): void },
) {
  const { onHelp, onUpload, onPaste } = handlers;
  const { address, files, choosing, begin, open, action } = page;
  const { folder, view } = address;
  const searchField = useRef<HTMLInputElement>(null);
  const focused = files.get(choosing.focused);
  /** Applies to the selection, else to the focused item. */
  const about = (one: FileAction) => () => {
    if (page.count > 0) action(one);
    else if (focused !== undefined) action(one, targetOfEntry(focused));
  };
  const actions: Readonly<Record<CommandName, () => void>> = {
    toggle: () => choosing.choose(choosing.focused, 'toggle'),
    all: page.chooseAll,
    none: page.letGo,
    open: () => focused && (focused.path === address.opened ? address.showFull() : open(focused)),
    full: () => (page.count === 0 || page.selection.isGiven) && address.showFull(),
    up: () => folder !== '' && address.go(folderOf(folder)),
    rename: about('rename'),
    delete: about('delete'),
    deletePermanently: about('deletePermanently'),
    cut: about('cut'),
    copy: about('hold'),
    paste: onPaste,
    undo,
    search: () => searchField.current?.focus(),
    upload: onUpload,
    folder: () => begin({ kind: 'folder' }),
    view: () => address.change({ view: view === 'grid' ? 'list' : undefined }, true),
    help: onHelp,
    // Handled by the grid, which knows the position.
    menu: () => undefined,
  };
  const access = useAccess();
  const run = (command: Command) => {
    if (typeof command === 'string') {
      if (isAllowed(command, access)) actions[command]();
    } else if ('move' in command && command.extends) choosing.choose(command.move, 'range');
  };
  usePageActions(pageActionsOf(actions, view, access));
  usePageKeys(section, run);
  return { run, searchField };
}

type Listed = Omit<PageAction, 'keys' | 'run'> & { command: CommandName };

/** Actions that need no item. */
function pageActionsOf(
  actions: Readonly<Record<CommandName, () => void>>,
  view: string,
  access: Access | undefined,
): PageAction[] {
  const { files, uploads } = messages;
  const listed: readonly Listed[] = [
    { command: 'upload', label: uploads.upload, icon: 'upload' },
    { command: 'folder', label: files.newFolder, icon: 'folderPlus' },
    { command: 'all', label: files.selectAll, icon: 'check' },
    { command: 'paste', label: files.paste, icon: 'paste' },
    { command: 'undo', label: files.undo, icon: 'undo' },
    view === 'grid'
      ? { command: 'view', label: files.asList, icon: 'list' }
      : { command: 'view', label: files.asGrid, icon: 'grid' },
    { command: 'help', label: files.shortcuts, icon: 'info' },
  ];
  return listed
    .filter(({ command }) => isAllowed(command, access))
    .map(({ command, ...rest }) => ({ ...rest, keys: keysOf(command), run: actions[command] }));
}

/** Commands that need no focused item. */
const PAGE_COMMANDS: readonly CommandName[] = [
  'all',
  'none',
  'up',
  'paste',
  'undo',
  'search',
  'upload',
  'folder',
  'view',
  'help',
];
const NO_POSITION = { index: 0, count: 1, columns: 1, rows: 1 };

/**
 * Handles keys of the page: an empty folder has no item, and a removed one loses the focus. Arrow keys move into the
 * grid.
 */
function usePageKeys(section: RefObject<HTMLElement | null>, run: (command: Command) => void) {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || (event.target !== document.body && event.target !== section.current)) return;
      const typing = { hasLetters: hasShortcuts(), isTyping: false };
      const command = commandOf(event as unknown as ReactKeyboardEvent, NO_POSITION, typing);
      if (typeof command === 'string' && PAGE_COMMANDS.includes(command)) latest.current(command);
      else if (typeof command === 'object' && 'move' in command)
        section.current?.querySelector<HTMLElement>(TAB_STOP)?.focus();
      else return;
      // The browser hands over a copied image after the key.
      if (command !== 'paste') event.preventDefault();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [section]);
}
