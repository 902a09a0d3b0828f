import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useCan } from '../../api/access.ts';
import { folderOf } from '../../api/paths.ts';
import { pageOfSpace, spaceLabel } from '../../api/spaces.ts';
import { filesFound, foldersFound, MOST_FOUND } from '../../api/targets/find.ts';
import { LIBRARY_VIEWS } from '../../api/views.ts';
import type { IconName } from '../../components/icons.ts';
import { pageActions } from '../../components/page-actions.ts';
import { setTheme } from '../../components/theme.ts';
import { useSettled } from '../../components/use-settled.ts';
import { messages } from '../../messages/en.ts';
import { paletteMessages } from '../../messages/palette.ts';
import { viewMessages } from '../../messages/views.ts';
import { usePages } from '../pages.ts';
import { useSwitchable } from '../space-switcher.tsx';

/** Destination or action. */
export interface PaletteItem {
  id: string;
  icon: IconName;
  label: string;
  /** Folder or shortcut. */
  end?: string | undefined;
  run(): void;
}

export interface PaletteGroup {
  title: string;
  items: readonly PaletteItem[];
}

/** Debounce of the search. */
const TYPING_MS = 150;

const THEMES = [
  ['system', 'monitor'],
  ['light', 'sun'],
  ['dark', 'moon'],
] as const;

/** Folds a text as the search of the service does: no accents, no capitals. */
const fold = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase();

/** Search results; without a text, the actions of the page and all pages. */
export function usePaletteItems(text: string): { groups: PaletteGroup[]; isFetching: boolean } {
  const navigate = useNavigate();
  const [actions] = useState(pageActions);
  const rested = useSettled(text.trim(), TYPING_MS);
  const found = useFound(rested, text.trim());
  const has = ({ label }: PaletteItem) => label.toLowerCase().includes(text.trim().toLowerCase());
  const own = actions.map((action, at): PaletteItem => ({ ...action, id: `action ${at}`, end: action.keys }));
  const pages = usePages().map(
    ({ to, icon, label }): PaletteItem => ({ id: to, icon, label, run: () => void navigate({ to }) }),
  );
  const spaces = useSwitchable().map(
    (space): PaletteItem => ({
      id: `space ${space.id}`,
      icon: 'space',
      label: spaceLabel(space),
      run: () => location.assign(pageOfSpace(space)),
    }),
  );
  const themes = THEMES.map(
    ([theme, icon]): PaletteItem => ({
      id: `theme ${theme}`,
      icon,
      label: `${messages.shell.theme}: ${messages.shell.themes[theme]}`,
      run: () => setTheme(theme),
    }),
  );
  const isAllowed = useCan('read');
  const views = LIBRARY_VIEWS.map(
    ({ id, icon, search }): PaletteItem => ({
      id: `view ${id}`,
      icon,
      label: viewMessages.view[id],
      run: () => void navigate({ to: '/files/$', params: { _splat: '' }, search }),
    }),
  );
  const groups: PaletteGroup[] = [
    { title: paletteMessages.actions, items: own.filter(has) },
    { title: paletteMessages.pages, items: pages.filter(has) },
    { title: viewMessages.title, items: isAllowed ? views.filter(has) : [] },
    { title: paletteMessages.spaces, items: text.trim() === '' ? [] : spaces.filter(has) },
    { title: paletteMessages.folders, items: rested === '' ? [] : found.folders },
    { title: paletteMessages.files, items: rested === '' ? [] : found.files },
    { title: paletteMessages.library, items: rested !== '' && found.areMore ? [found.all] : [] },
    { title: paletteMessages.themes, items: text.trim() === '' ? [] : themes.filter(has) },
  ];
  return {
    groups: groups.filter(({ items }) => items.length > 0),
    isFetching: found.isFetching || rested !== text.trim(),
  };
}

/**
 * Folders and files of the whole library, by parts of their paths. Earlier results stay while they may still match:
 * replacing all items together would reset the active one.
 * @param typed current text of the field
 */
function useFound(text: string, typed: string) {
  const navigate = useNavigate();
  const isEnabled = text !== '';
  const folders = useQuery({ ...foldersFound(text), enabled: isEnabled, placeholderData: keepPreviousData });
  const files = useQuery({ ...filesFound(text), enabled: isEnabled, placeholderData: keepPreviousData });
  const words = fold(typed).split(/[\s/]+/u);
  const mayStay = ({ path }: { path: string }) => typed !== '' && words.every((word) => fold(path).includes(word));
  const isLate = text !== typed;
  const shownFolders = (folders.data ?? []).filter((one) => !(isLate || folders.isPlaceholderData) || mayStay(one));
  const shownFiles = (files.data ?? []).filter((one) => !(isLate || files.isPlaceholderData) || mayStay(one));
  const go = (folder: string, open?: string) =>
    void navigate({ to: '/files/$', params: { _splat: folder }, search: open === undefined ? {} : { open } });
  return {
    folders: shownFolders.map(
      ({ path, name: label }): PaletteItem => ({
        id: `folder ${path}`,
        icon: 'folder',
        label,
        end: folderOf(path),
        run: () => go(path),
      }),
    ),
    files: shownFiles.map(
      ({ path, name: label, kind }): PaletteItem => ({
        id: `file ${path}`,
        icon: kind,
        label,
        end: folderOf(path),
        run: () => go(folderOf(path), path),
      }),
    ),
    /** True if there may be more results than shown. */
    areMore: shownFolders.length >= MOST_FOUND || shownFiles.length >= MOST_FOUND,
    all: {
      id: 'all results',
      icon: 'search',
      label: paletteMessages.showAll(typed),
      run: () => void navigate({ to: '/files/$', params: { _splat: '' }, search: { q: typed } }),
    } satisfies PaletteItem,
    isFetching: folders.isFetching || files.isFetching,
  };
}
