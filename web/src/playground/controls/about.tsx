import { documentationUrlOf } from '../../api/documentation.ts';
import type { Asset, Parameter } from '../../api/types.ts';
import { messages } from '../../messages/en.ts';
import { helpOf } from './help.ts';

interface AboutProps extends Pick<Asset, 'kind'> {
  parameter: Parameter;
  title: string;
}

/** Help for a parameter: three lines and a link to the documentation of it. */
export function About({ parameter, title, kind }: AboutProps) {
  return (
    <div className="control-about">
      <p>
        <Written text={helpOf(parameter)} />
      </p>
      <a
        href={documentationUrlOf(`url-reference#${sectionOf({ parameter, title, kind })}`)}
        target="_blank"
        rel="noreferrer"
        aria-label={messages.documentationOf(title)}
      >
        {messages.documentation}
      </a>
    </div>
  );
}

/** Section of the URL reference. Those of videos have headings that images have too. */
function sectionOf({ parameter: { key }, title, kind }: AboutProps): string {
  if (kind === 'video') return 'videos';
  return `${key}-${title}`.toLowerCase().replaceAll(' ', '-');
}

/** Text with code between backticks. */
function Written({ text }: { text: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the pieces have no other name, and none moves.
  return text.split('`').map((piece, index) => (index % 2 === 1 ? <code key={index}>{piece}</code> : piece));
}
