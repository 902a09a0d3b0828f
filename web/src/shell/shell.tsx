import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useNavigate } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore } from 'react';
import { sessionQuery } from '../api/account.ts';
import { sessionFound, useIsSessionLost } from '../api/session-state.ts';
import { ModalDialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { toast } from '../parts/toasts.tsx';
import { SignInForm } from '../sign-in/sign-in-form.tsx';
import { UploadPanel } from '../uploads/upload-panel.tsx';
import { words } from '../words/en.ts';
import { Navigation } from './navigation.tsx';
import './shell.css';

/** What all pages have around them. */
export function Shell() {
  useEffect(() => {
    // A tab from before an upgrade asks for files that are gone.
    const offer = () => toast(words.states.newVersion, { label: words.states.reload, run: () => location.reload() });
    addEventListener('vite:preloadError', offer);
    return () => removeEventListener('vite:preloadError', offer);
  }, []);
  return (
    <div className="shell">
      <a className="shell-skip" href="#content">
        {words.shell.skip}
      </a>
      <Navigation />
      <main id="content" className="shell-content" tabIndex={-1}>
        <OfflineBanner />
        <Outlet />
      </main>
      <UploadPanel />
      <SessionDialog />
    </div>
  );
}

function OfflineBanner() {
  const isOnline = useSyncExternalStore(
    (listener) => {
      addEventListener('online', listener);
      addEventListener('offline', listener);
      return () => {
        removeEventListener('online', listener);
        removeEventListener('offline', listener);
      };
    },
    () => navigator.onLine,
  );
  return (
    <div role="status">
      {!isOnline && (
        <div className="notice is-warning shell-banner">
          <Icon name="offline" />
          {words.states.offline}
        </div>
      )}
    </div>
  );
}

/** Over the page when its session has ended: what was chosen and what is uploading stays. */
function SessionDialog() {
  const isLost = useIsSessionLost();
  const client = useQueryClient();
  const navigate = useNavigate();
  const email = client.getQueryData(sessionQuery.queryKey)?.user.email;
  return (
    <ModalDialog title={words.signIn.again} text={words.signIn.againText} isOpen={isLost}>
      <SignInForm email={email} onDone={sessionFound} />
      <button
        type="button"
        className="shell-leave"
        onClick={() => {
          sessionFound();
          client.clear();
          navigate({ to: '/login' });
        }}
      >
        {words.signIn.leave}
      </button>
    </ModalDialog>
  );
}
