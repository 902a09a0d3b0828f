import type { Asset, Parameter } from '../../api/types.ts';
import { documentationUrlOf } from '../../components/documentation.ts';
import { Written } from '../../components/written.tsx';
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
