import { Button } from '../../components/button.tsx';
import { copyText } from '../../components/copy.ts';
import { messages } from '../../messages/en.ts';

interface CodeProps {
  text: string;
  /** Name of the text for the message that it was copied. */
  what: string;
  /** True if the code leads to an error. */
  isBroken?: boolean;
}

/** Code with a copy button. */
export function Code({ text, what, isBroken = false }: CodeProps) {
  return (
    <div className="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keyboard too. */}
      <section className="code-text" aria-label={messages.playground.code} tabIndex={0}>
        <pre>{text}</pre>
      </section>
      <Button icon="copy" isDisabled={isBroken} onPress={() => copyText(text, what)}>
        {messages.playground.copy}
      </Button>
    </div>
  );
}
