import { type Html, html } from '../transport/html.ts';

/** Renders the Markdown of the service's own texts: paragraphs, headings, code blocks and `code`. */
export function renderMarkdown(text: string): Html[] {
  return text
    .trim()
    .split(/\n{2,}/)
    .map((block) => {
      if (block.startsWith('## ')) return html`<h3>${block.slice(3)}</h3>`;
      if (block.startsWith('```')) return html`<pre>${block.split('\n').slice(1, -1).join('\n')}</pre>`;
      return html`<p>${renderCode(block)}</p>`;
    });
}

/** Renders inline Markdown. */
export function renderCode(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}
