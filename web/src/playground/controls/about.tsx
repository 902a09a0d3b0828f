import { useQuery } from '@tanstack/react-query';
import { transformationsQuery } from '../../api/playground.ts';
import type { Parameter } from '../../api/types.ts';
import { documentationUrlOf } from '../../components/documentation.ts';
import { Written } from '../../components/written.tsx';
import { messages } from '../../messages/en.ts';
import { helpOf, sectionOf } from './help.ts';

interface AboutProps {
  parameter: Parameter;
  title: string;
}

/** Help for a parameter: three lines and a link to the documentation of it. */
export function About({ parameter, title }: AboutProps) {
  const { data } = useQuery(transformationsQuery);
  return (
    <div className="control-about">
      <p>
        <Written text={helpOf(parameter)} />
      </p>
      <a
        href={documentationUrlOf(`url-reference#${data ? sectionOf(parameter, data) : ''}`)}
        target="_blank"
        rel="noreferrer"
        aria-label={messages.documentationOf(title)}
      >
        {messages.documentation}
      </a>
    </div>
  );
}
