import type { ReactNode } from 'react';
import { messages } from '../messages/en.ts';
import { DOCUMENTATION, type DocumentationPage, documentationUrlOf } from './documentation.ts';
import { Icon } from './icon.tsx';
import { useTitle } from './use-title.ts';

interface PageHeaderProps {
  title: string;
  /** Title of the document, where it says more. */
  tab?: string;
  /** One line below the title. */
  lead?: ReactNode;
  /** Explains the page. */
  documentation: DocumentationPage;
  /** Link above the title, to the page that this one belongs to. */
  back?: ReactNode;
  /** Actions for the whole page. */
  children?: ReactNode;
}

/** Title of the page and its document, one line of text, a link to the documentation, and actions. */
export function PageHeader({ title, tab = title, lead, documentation, back, children }: PageHeaderProps) {
  useTitle(tab);
  return (
    <header className="page-head">
      <div>
        {back}
        <h1>{title}</h1>
        {lead && <p>{lead}</p>}
      </div>
      <div className="page-actions">
        <DocumentationLink path={DOCUMENTATION[documentation]} about={messages.thisPage} />
        {children}
      </div>
    </header>
  );
}

/** Link to a page of the documentation, in a new tab. @param about subject, for screen readers */
export function DocumentationLink({ path, about }: { path: string; about: string }) {
  return (
    <a
      className="doc-link"
      href={documentationUrlOf(path)}
      target="_blank"
      rel="noreferrer"
      aria-label={messages.documentationOf(about)}
    >
      <Icon name="book" size={16} />
      <span>{messages.documentation}</span>
    </a>
  );
}
