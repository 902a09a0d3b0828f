import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { redirectsToQuery } from '../../api/redirects.ts';
import { messages } from '../../messages/en.ts';

/** Number of shown paths. */
const MOST = 5;

/** Previous paths of a file that lead to it by redirects, also by those of folders. */
export function OldUrls({ path }: { path: string }) {
  const { data = [] } = useQuery(redirectsToQuery(path, MOST + 1));
  const used = data.filter(({ isOverruled }) => !isOverruled);
  if (used.length === 0) return null;
  return (
    <section className="details-section" aria-label={messages.details.oldUrls}>
      <h3>{messages.details.oldUrls}</h3>
      <ul className="old-urls">
        {used.slice(0, MOST).map(({ from, to }) => (
          <li key={from}>{from + path.slice(to.length)}</li>
        ))}
      </ul>
      <Link to="/redirects" search={{ to: path }}>
        {used.length > MOST ? messages.details.allRedirects : messages.details.redirects}
      </Link>
    </section>
  );
}
