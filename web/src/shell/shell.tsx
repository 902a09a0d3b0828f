import { Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useAccess } from '../api/access.ts';
import { isServiceThere, onOutage } from '../api/availability.ts';
import { useIsSessionLost } from '../api/session-state.ts';
import { findInterrupted, useInterrupted } from '../api/uploads/interrupted.ts';
import { useUploads } from '../api/uploads/uploads.ts';
import { lazyComponent, retryFailed } from '../components/lazy-component.tsx';
import { Empty } from '../components/states.tsx';
import { toast } from '../components/toasts.tsx';
import { useTitle } from '../components/use-title.ts';
import { messages } from '../messages/en.ts';
import { ConnectionBanner } from './connection-banner.tsx';
import { Navigation } from './navigation.tsx';
import { useIsAllowed } from './pages.ts';
import { useSidebar } from './sidebar.ts';
import { useSwitchable } from './space-switcher.tsx';
import './shell.css';

const UploadPanel = lazyComponent(() => import('../files/uploads/upload-panel.tsx').then((panel) => panel.UploadPanel));
const Palette = lazyComponent(() => import('./palette/palette.tsx').then((palette) => palette.Palette));
const NoAccess = lazyComponent(() => import('./no-access.tsx').then((page) => page.NoAccess));
const SessionDialog = lazyComponent(() => import('./session-dialog.tsx').then((dialog) => dialog.SessionDialog));

/** Layout of all pages. */
export function Shell() {
  const palette = usePaletteKey();
  const access = useAccess();
  const hasSpaces = useSwitchable().length > 0;
  const sidebar = useSidebar();
  useEffect(() => {
    // After an upgrade, an open tab requests scripts that no longer exist.
    const offer = async () => {
      if (await isServiceThere())
        toast(messages.states.newVersion, { label: messages.states.reload, run: () => location.reload() });
    };
    addEventListener('vite:preloadError', offer);
    return () => removeEventListener('vite:preloadError', offer);
  }, []);
  useEffect(() => onOutage((isAway) => !isAway && retryFailed()), []);
  if (!access?.permissions.includes('read')) return <NoAccess />;
  return (
    <div className={`shell${hasSpaces ? ' has-spaces' : ''}${sidebar.isCollapsed ? ' is-collapsed' : ''}`}>
      <a className="shell-skip" href="#content">
        {messages.shell.skip}
      </a>
      <Navigation sidebar={sidebar} onPalette={palette.open} />
      <main id="content" className="shell-content" tabIndex={-1}>
        <ConnectionBanner />
        <AllowedPage />
      </main>
      <Overlays />
      {palette.isOpen && <Palette onClose={palette.close} />}
    </div>
  );
}

/** The page, if the role of the signed-in person includes it. */
function AllowedPage() {
  const route = useRouterState({ select: ({ matches }) => matches.at(-1)?.fullPath ?? '' });
  return useIsAllowed(route) ? <Outlet /> : <NotHere />;
}

function NotHere() {
  useTitle(messages.shell.notHere);
  return (
    <Empty icon="lock" title={messages.shell.notHere} isPage>
      {messages.shell.notHereText}
    </Empty>
  );
}

/** Overlays shown on demand. */
function Overlays() {
  const hasUploads = useUploads().total > 0;
  const isInterrupted = useInterrupted().length > 0;
  useEffect(() => void findInterrupted(), []);
  const isLost = useIsSessionLost();
  return (
    <>
      {(hasUploads || isInterrupted) && <UploadPanel />}
      {isLost && <SessionDialog />}
    </>
  );
}

/** Open state of the palette. Ctrl+K works everywhere except over another dialog. */
function usePaletteKey() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || event.key.toLowerCase() !== 'k')
        return;
      event.preventDefault();
      if (document.querySelector('.shade:not(.is-finder)') === null) setOpen((old) => !old);
    };
    document.addEventListener('keydown', onKeyDown, true);
    return () => document.removeEventListener('keydown', onKeyDown, true);
  }, []);
  return { isOpen, open: () => setOpen(true), close: () => setOpen(false) };
}
