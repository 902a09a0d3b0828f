import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import { type Html, html } from '../transport/html.ts';

export interface MarkdownOptions {
  /** Returns the URL of a link; undefined for one that leads nowhere here: its text stays. */
  link?(href: string): string | undefined;
  /** Adds to the levels of headings. */
  depth?: number;
  /** True if headings can be linked to, by the names that GitHub gives them. */
  hasAnchors?: boolean;
}

export interface Heading {
  level: number;
  id: string;
  text: string;
}

interface Context extends MarkdownOptions {
  headings: Heading[];
  /** Number of headings of a name. */
  named: Map<string, number>;
}

/** Renders the Markdown of our own pages, block by block. HTML is text, comments and images are left out. */
export function renderMarkdown(text: string, options: MarkdownOptions = {}): { body: Html[]; headings: Heading[] } {
  const context: Context = { ...options, headings: [], named: new Map() };
  return { body: blocksOf(Lexer.lex(text), context), headings: context.headings };
}

/** Renders one line of Markdown. */
export function renderInline(text: string, options: MarkdownOptions = {}): Html[] {
  return inlineOf(Lexer.lexInline(text), options);
}

function blocksOf(tokens: readonly Token[], context: Context): Html[] {
  return (tokens as MarkedToken[]).flatMap((token) => {
    if (token.type === 'heading') return headingOf(token, context);
    if (token.type === 'paragraph') return html`<p>${inlineOf(token.tokens, context)}</p>`;
    if (token.type === 'code') return html`<pre>${token.text}</pre>`;
    if (token.type === 'table') return tableOf(token, context);
    if (token.type === 'list') return listOf(token, context);
    // The text of an item without paragraphs.
    if (token.type === 'text') return inlineOf(token.tokens ?? [], context);
    return token.type === 'space' || token.raw.startsWith('<!--') ? [] : html`<p>${token.raw}</p>`;
  });
}

function inlineOf(tokens: readonly Token[], options: MarkdownOptions): Html[] {
  return (tokens as MarkedToken[]).map((token) => {
    if (token.type === 'codespan') return html`<code>${token.text}</code>`;
    if (token.type === 'strong') return html`<strong>${inlineOf(token.tokens, options)}</strong>`;
    if (token.type === 'em') return html`<em>${inlineOf(token.tokens, options)}</em>`;
    if (token.type === 'link') return linkOf(token, options);
    if (token.type === 'image') return html``;
    if (token.type === 'escape') return html`${token.text}`;
    return html`${token.raw.replaceAll('\n', ' ')}`;
  });
}

function linkOf({ href, tokens }: Tokens.Link, options: MarkdownOptions): Html {
  const url = options.link ? options.link(href) : href;
  const text = inlineOf(tokens, options);
  return url === undefined ? html`${text}` : html`<a href="${url}">${text}</a>`;
}

function headingOf({ depth, tokens }: Tokens.Heading, context: Context): Html {
  const level = Math.min(6, depth + (context.depth ?? 0));
  const tag = html`h${level}`;
  const content = inlineOf(tokens, context);
  if (!context.hasAnchors) return html`<${tag}>${content}</${tag}>`;
  const text = textOf(tokens);
  const name = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
  const before = context.named.get(name) ?? 0;
  context.named.set(name, before + 1);
  const id = before === 0 ? name : `${name}-${before}`;
  context.headings.push({ level, id, text });
  return html`<${tag} id="${id}">${content}</${tag}>`;
}

/** Text without markup. */
function textOf(tokens: readonly Token[]): string {
  return (tokens as Tokens.Generic[]).map((token) => (token.tokens ? textOf(token.tokens) : token.text)).join('');
}

function tableOf({ header, rows }: Tokens.Table, context: Context): Html {
  const titles = header.map(({ text, tokens }) =>
    text === '' ? html`<td></td>` : html`<th scope="col">${inlineOf(tokens, context)}</th>`,
  );
  const head = header.some(({ text }) => text !== '') ? html`<thead><tr>${titles}</tr></thead>` : '';
  // Rows of images have nothing to show.
  const shown = rows.filter((cells) => !cells.every(({ tokens }) => tokens[0]?.type === 'image'));
  const body = shown.map(
    (cells) => html`<tr>${cells.map(({ tokens }) => html`<td>${inlineOf(tokens, context)}</td>`)}</tr>`,
  );
  return html`<table>${head}<tbody>${body}</tbody></table>`;
}

function listOf({ ordered, items }: Tokens.List, context: Context): Html {
  const tag = html`${ordered ? 'ol' : 'ul'}`;
  return html`<${tag}>${items.map(({ tokens }) => html`<li>${itemOf(tokens, context)}</li>`)}</${tag}>`;
}

/** An item of one paragraph needs no element of its own. */
function itemOf(tokens: Token[], context: Context): Html[] {
  const [only, ...others] = tokens as MarkedToken[];
  return only?.type === 'paragraph' && others.length === 0 ? inlineOf(only.tokens, context) : blocksOf(tokens, context);
}
