import type { ReactNode } from 'react';
import { Logo } from '../components/icon.tsx';
import { messages } from '../messages/en.ts';
import './sign-in.css';

/** The page before the others: the brand, one card, and a line below it. */
export function Gate({
  title,
  lead,
  foot,
  children,
}: {
  title: string;
  lead: string;
  foot?: ReactNode;
  children: ReactNode;
}) {
  return (
    <main className="gate">
      <div className="gate-brand">
        <Logo size={32} />
        {messages.name}
      </div>
      <div className="gate-card">
        <header>
          <h1>{title}</h1>
          <p className="quiet">{lead}</p>
        </header>
        {children}
      </div>
      {foot && <p className="gate-foot">{foot}</p>}
    </main>
  );
}
