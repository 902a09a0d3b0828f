import type { Asset } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import { copyText } from '../../parts/copying/copy.ts';
import { words } from '../../words/en.ts';
import { type Snippet, snippetsOf } from './snippets.ts';

/** The addresses of a file and what goes into a page, to be copied. */
export function Addresses({ asset }: { asset: Asset }) {
  return (
    <section className="details-part" aria-label={words.details.addresses}>
      <h3>{words.details.addresses}</h3>
      <ul className="snippets">
        {snippetsOf(asset, document.baseURI).map((snippet) => (
          <SnippetRow key={snippet.name} {...snippet} />
        ))}
      </ul>
    </section>
  );
}

function SnippetRow({ name, text }: Snippet) {
  return (
    <li>
      <span className="snippet-name">{words.details.snippet[name]}</span>
      <code title={text}>{text}</code>
      <Button
        look="plain"
        icon="copy"
        aria-label={words.details.copy(words.details.snippet[name])}
        onPress={() => copyText(text)}
      />
    </li>
  );
}
