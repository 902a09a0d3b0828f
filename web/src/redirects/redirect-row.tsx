import { Link } from '@tanstack/react-router';
import { folderOf } from '../api/paths.ts';
import { createRedirect, deleteRedirect, type Redirect } from '../api/redirects.ts';
import { Button } from '../components/button.tsx';
import { formatAgo } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { errorMessage } from '../components/states.tsx';
import { toast } from '../components/toasts.tsx';
import { useAction } from '../components/use-action.ts';
import { messages } from '../messages/en.ts';
import { redirectsMessages } from '../messages/redirects.ts';

interface RedirectRowProps {
  redirect: Redirect;
  canManage: boolean;
}

export function RedirectRow({ redirect: { from, to, isFolder, createdAt, isOverruled }, canManage }: RedirectRowProps) {
  const onError = (error: unknown) => toast(errorMessage(error));
  const { isBusy, run } = useAction(onError);
  const remove = async () => {
    await deleteRedirect(from);
    // The service refuses a redirect at the path of a file.
    if (isOverruled) toast(redirectsMessages.removed(from));
    else
      toast(redirectsMessages.removed(from), {
        label: messages.files.undo,
        run: () => void createRedirect(from, to).catch(onError),
      });
  };
  return (
    <li className="redirect-row">
      <div className="redirect-paths">
        <h2>{from}</h2>
        <p>
          <Icon name="redirect" size={16} />
          <span className="unseen">{redirectsMessages.leadsTo}</span> <Target path={to} isFolder={isFolder} />
        </p>
        {isOverruled && <Overruled path={from} />}
      </div>
      <span className="quiet">{redirectsMessages.created(formatAgo(createdAt))}</span>
      {canManage && (
        <Button
          variant="plain"
          icon="trash"
          aria-label={redirectsMessages.remove(from)}
          isPending={isBusy}
          onPress={() => run(remove)}
        />
      )}
    </li>
  );
}

/** Says that a file has the previous path, and links to it. */
function Overruled({ path }: { path: string }) {
  return (
    <p className="redirect-overruled">
      <Icon name="alert" size={16} />
      {redirectsMessages.overruled}{' '}
      <Link to="/files/$" params={{ _splat: folderOf(path) }} search={{ open: path }}>
        {redirectsMessages.overrulingFile}
      </Link>
    </p>
  );
}

/** Link to the target: the details of a file, or a folder. */
function Target({ path, isFolder }: { path: string; isFolder: boolean }) {
  const folder = isFolder ? path : folderOf(path);
  return (
    <Link to="/files/$" params={{ _splat: folder }} search={isFolder ? {} : { open: path }}>
      {path}
    </Link>
  );
}
