import { serviceUrl } from '../../api/base.ts';
import { folderOf } from '../../api/paths.ts';
import type { Asset } from '../../api/types.ts';
import { Button } from '../../components/button.tsx';
import { copyText } from '../../components/copy.ts';
import { Icon } from '../../components/icon.tsx';
import { messages } from '../../messages/en.ts';
import { usePrivateFolders } from '../use-private-folders.ts';
import { type Snippet, snippetsOf } from './snippets.ts';

/** URLs and embed code of a file, with copy buttons. */
export function Addresses({ asset }: { asset: Asset }) {
  const isPrivate = usePrivateFolders().isPrivate(folderOf(asset.path));
  return (
    <section className="details-section" aria-label={messages.details.addresses}>
      <h3>{messages.details.addresses}</h3>
      {isPrivate && (
        <p className="notice">
          <Icon name="lock" />
          {messages.details.privateHint}
        </p>
      )}
      {asset.problem !== null && (
        <p className="notice">
          <Icon name="alert" />
          {messages.details.originalOnly}
        </p>
      )}
      {asset.kind === 'image' && !asset.described && (
        <p className="quiet" role="status">
          {messages.readingSize}
        </p>
      )}
      <ul className="snippets">
        {snippetsOf(asset, serviceUrl).map((snippet) => (
          <SnippetRow key={snippet.name} {...snippet} />
        ))}
      </ul>
    </section>
  );
}

function SnippetRow({ name, text }: Snippet) {
  return (
    <li>
      <span className="snippet-name">{messages.details.snippet[name]}</span>
      <code title={text}>{text}</code>
      <Button
        variant="plain"
        icon="copy"
        aria-label={messages.copy(messages.details.snippet[name])}
        onPress={() => copyText(text, messages.details.copies[name])}
      />
    </li>
  );
}
