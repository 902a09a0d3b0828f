import { useQuery } from '@tanstack/react-query';
import { browserCacheQuery, versionedUrl } from '../../api/files.ts';
import type { Asset } from '../../api/types.ts';
import { Button } from '../../components/button.tsx';
import { copyText } from '../../components/copy.ts';
import { DOCUMENTATION } from '../../components/documentation.ts';
import { DocumentationLink } from '../../components/page-header.tsx';
import { messages } from '../../messages/en.ts';
import { versionsMessages } from '../../messages/versions.ts';
import { cachedCopiesText } from './cached-copies-text.ts';

/** Says which visitors may still see the content before a replacement, and offers a URL that none of them has. */
export function CachedCopies({ asset, since }: { asset: Asset; since: number }) {
  const { path, mtime } = asset;
  const { data } = useQuery(browserCacheQuery(path));
  if (data === undefined || data === 0) return null;
  if (data !== null && since + data * 1000 < Date.now()) return null;
  return (
    <div className="versions-cached">
      <p className="quiet">{cachedCopiesText(data, since)}</p>
      <Button icon="link" onPress={() => copyText(versionedUrl(path, mtime), messages.copies.url)}>
        {messages.files.copyVersionUrl}
      </Button>
      <DocumentationLink path={DOCUMENTATION.replacement} about={versionsMessages.cachedCopies} />
    </div>
  );
}
