import type { Access, Permission } from '../api/access.ts';
import { messages } from '../messages/en.ts';
import type { Command } from './grid/keys/keys.ts';

export type CommandName = Extract<Command, string>;

/** Permissions of commands that change something. */
const NEEDS: Partial<Record<CommandName, Permission>> = {
  rename: 'manage',
  delete: 'manage',
  deletePermanently: 'manage',
  cut: 'manage',
  copy: 'manage',
  paste: 'manage',
  undo: 'manage',
  upload: 'upload',
  folder: 'upload',
};

/** True if the role of the signed-in person includes a command. */
export function isAllowed(command: CommandName, access: Access | undefined): boolean {
  const needed = NEEDS[command];
  return needed === undefined || (access?.permissions.includes(needed) ?? false);
}

interface Shortcut {
  keys: string;
  text: string;
  /** Undefined for keys that only move. */
  command?: CommandName;
}

const { keys: texts } = messages.files;

/** Shortcuts of the library, as they are listed for people. */
export const SHORTCUTS: readonly Shortcut[] = [
  { keys: '← ↑ → ↓', text: texts.move },
  { keys: 'Home End', text: texts.ends },
  { keys: 'a b c …', text: texts.typed },
  { keys: 'Enter', text: texts.open, command: 'open' },
  { keys: 'Enter Enter', text: texts.full, command: 'full' },
  { keys: 'Alt+↑', text: texts.up, command: 'up' },
  { keys: 'Space', text: texts.toggle, command: 'toggle' },
  { keys: 'Shift+↓', text: texts.extend },
  { keys: 'Ctrl+A', text: texts.all, command: 'all' },
  { keys: 'Esc', text: texts.none, command: 'none' },
  { keys: 'F2', text: texts.rename, command: 'rename' },
  { keys: 'Del', text: texts.delete, command: 'delete' },
  { keys: 'Shift+Del', text: texts.deletePermanently, command: 'deletePermanently' },
  { keys: 'Ctrl+C Ctrl+X', text: texts.copy, command: 'copy' },
  { keys: 'Ctrl+V', text: texts.paste, command: 'paste' },
  { keys: 'Drag', text: messages.files.action.move, command: 'cut' },
  { keys: 'Ctrl+Drag', text: messages.files.action.copy, command: 'copy' },
  { keys: 'Ctrl+Z', text: texts.undo, command: 'undo' },
  { keys: 'Shift+F10', text: texts.menu, command: 'menu' },
  { keys: '/', text: texts.search, command: 'search' },
  { keys: 'u', text: texts.upload, command: 'upload' },
  { keys: 'n', text: texts.folder, command: 'folder' },
  { keys: 'v', text: texts.view, command: 'view' },
  { keys: 'Ctrl+K', text: texts.palette },
  { keys: '?', text: texts.help, command: 'help' },
];

/** Keys of a command. */
export const keysOf = (command: CommandName): string | undefined =>
  SHORTCUTS.find((shortcut) => shortcut.command === command)?.keys;
