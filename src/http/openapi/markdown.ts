import { type Html, html } from '../pages/html.ts';

/** Renders the parts of Markdown that our own texts use: paragraphs, headings, blocks of code and `code`. */
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

/** Renders one line of it. */
export function renderCode(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}
