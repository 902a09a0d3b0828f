import { Link } from '@tanstack/react-router';
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

export function RedirectRow({ redirect: { from, to, createdAt, isOverruled }, canManage }: RedirectRowProps) {
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
          <span className="unseen">{redirectsMessages.leadsTo}</span> <Target path={to} />
        </p>
        {isOverruled && <Overruled path={from} />}
      </div>
      <span className="quiet">{redirectsMessages.created(formatAgo(createdAt))}</span>
      {canManage && (
        <Button
          variant="plain"
          icon="close"
          aria-label={redirectsMessages.remove(from)}
          isPending={isBusy}
          onPress={() => run(remove)}
        >
          {isOverruled ? redirectsMessages.removeOverruled : undefined}
        </Button>
      )}
    </li>
  );
}

/** Says that a file has the previous path, and links to it. */
function Overruled({ path }: { path: string }) {
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  return (
    <p className="redirect-overruled">
      <Icon name="alert" size={16} />
      {redirectsMessages.overruled}{' '}
      <Link to="/files/$" params={{ _splat: folder }} search={{ open: path }}>
        {redirectsMessages.overrulingFile}
      </Link>
    </p>
  );
}

/** Names of files have an extension, which those of folders rarely have. */
const LIKE_FILE = /[^/]\.[a-z0-9]{2,5}$/i;

/** Link to the target: the details of a file, or a folder. */
function Target({ path }: { path: string }) {
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  if (LIKE_FILE.test(path))
    return (
      <Link to="/files/$" params={{ _splat: folder }} search={{ open: path }}>
        {path}
      </Link>
    );
  return (
    <Link to="/files/$" params={{ _splat: path }}>
      {path}
    </Link>
  );
}
