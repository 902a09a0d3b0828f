import type { ReactNode } from 'react';

/** Part of a page of settings with its explanation. */
export function Section({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <section className="page-section" aria-label={title}>
      <div>
        <h2>{title}</h2>
        <p className="quiet">{text}</p>
      </div>
      {children}
    </section>
  );
}
