import type { ReactNode } from 'react';
import { Logo } from '../components/icon.tsx';
import { messages } from '../messages/en.ts';
import './sign-in.css';

/** Layout of sign-in and setup pages. */
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
