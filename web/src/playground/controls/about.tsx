import { urlOf } from '../../api/base.ts';
import type { Parameter } from '../../api/types.ts';
import { messages } from '../../messages/en.ts';
import { helpOf } from './help.ts';

/** Help for a parameter: three lines and a link to the documentation that the service delivers. */
export function About({ parameter, title }: { parameter: Parameter; title: string }) {
  return (
    <div className="control-about">
      <p>
        <Written text={helpOf(parameter)} />
      </p>
      <a
        href={urlOf('api/docs#getVariant')}
        target="_blank"
        rel="noreferrer"
        aria-label={messages.playground.documentationOf(title)}
      >
        {messages.playground.documentation}
      </a>
    </div>
  );
}

/** Text with code between backticks. */
function Written({ text }: { text: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the pieces have no other name, and none moves.
  return text.split('`').map((piece, index) => (index % 2 === 1 ? <code key={index}>{piece}</code> : piece));
}
