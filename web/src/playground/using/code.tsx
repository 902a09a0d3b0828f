import { Button } from '../../components/button.tsx';
import { copyText } from '../../components/copy.ts';
import { messages } from '../../messages/en.ts';

/** Code with a copy button. @param isBroken true if the code leads to an error */
export function Code({ text, isBroken = false }: { text: string; isBroken?: boolean }) {
  return (
    <div className="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keyboard too. */}
      <section className="code-text" aria-label={messages.playground.code} tabIndex={0}>
        <pre>{text}</pre>
      </section>
      <Button icon="copy" isDisabled={isBroken} onPress={() => copyText(text)}>
        {messages.playground.copy}
      </Button>
    </div>
  );
}
