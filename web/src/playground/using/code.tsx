import { Button } from '../../parts/button.tsx';
import { copyText } from '../../parts/copying/copy.ts';
import { words } from '../../words/en.ts';

/** Code, and a button that takes it along. */
export function Code({ text }: { text: string }) {
  return (
    <div className="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keyboard too. */}
      <section className="code-text" aria-label={words.playground.code} tabIndex={0}>
        <pre>{text}</pre>
      </section>
      <Button icon="copy" onPress={() => copyText(text)}>
        {words.playground.copy}
      </Button>
    </div>
  );
}
