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

interface Block {
  html: Html;
  /** Index of the first line after the block. */
  next: number;
  isParagraph?: boolean;
}

const FENCE = /^```/;
const HEADING = /^(#{1,6}) (.*)$/;
const ITEM = /^(-|\d+\.) /;
const MARKUP =
  /``((?:[^`]|`(?!`))+)``|`([^`]+)`|(!?)\[((?:[^[\]`]|`[^`]*`)*)\]\(([^()\s]+)\)|\*\*((?:[^*]|\*(?!\*))+)\*\*|(?<![\w*])\*(?=[^\s*])([^*]+)\*(?![\w*])/g;

/**
 * Renders the Markdown of our own pages: headings, paragraphs, lists, tables, code, links and emphasis. Images are
 * left out.
 */
export function renderMarkdown(text: string, options: MarkdownOptions = {}): { body: Html[]; headings: Heading[] } {
  const context: Context = { ...options, headings: [], named: new Map() };
  const lines = text.replace(/^<!--[\s\S]*?-->$/gm, '').split('\n');
  return { body: blocksOf(lines, context).map((block) => block.html), headings: context.headings };
}

/** Renders one line of Markdown. */
export function renderInline(text: string, options: MarkdownOptions = {}): Html[] {
  const pieces: Html[] = [];
  let end = 0;
  for (const match of text.matchAll(MARKUP)) {
    pieces.push(html`${text.slice(end, match.index)}`, inlineOf(match, options));
    end = match.index + match[0].length;
  }
  return [...pieces, html`${text.slice(end)}`];
}

function inlineOf(match: RegExpMatchArray, options: MarkdownOptions): Html {
  const [, quoted, plain, image, label, href, strong, emphasis] = match;
  const code = quoted ?? plain;
  if (code !== undefined) return html`<code>${code.replace(/^ (.*) $/, '$1')}</code>`;
  if (image === '!') return html``;
  if (strong !== undefined) return html`<strong>${renderInline(strong, options)}</strong>`;
  if (emphasis !== undefined) return html`<em>${renderInline(emphasis, options)}</em>`;
  const url = (options.link ?? ((same: string) => same))(href ?? '');
  const text = renderInline(label ?? '', options);
  return url === undefined ? html`${text}` : html`<a href="${url}">${text}</a>`;
}

function blocksOf(lines: readonly string[], context: Context): Block[] {
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    if (lines[at]?.trim() === '') at++;
    else {
      const block = blockAt(lines, at, context);
      blocks.push(block);
      at = block.next;
    }
  }
  return blocks;
}

function blockAt(lines: readonly string[], at: number, context: Context): Block {
  const line = lines[at] ?? '';
  if (FENCE.test(line)) return codeAt(lines, at);
  const [, marks, title = ''] = HEADING.exec(line) ?? [];
  if (marks !== undefined) return { html: headingOf(marks.length, title, context), next: at + 1 };
  if (line.startsWith('|')) return tableAt(lines, at, context);
  if (ITEM.test(line)) return listAt(lines, at, context);
  const next = firstAfter(lines, at + 1, (one) => one.trim() === '' || isBegin(one));
  return { html: html`<p>${renderInline(lines.slice(at, next).join(' '), context)}</p>`, next, isParagraph: true };
}

const isBegin = (line: string) => FENCE.test(line) || HEADING.test(line) || line.startsWith('|') || ITEM.test(line);

/** Index of the first line from `at` on that ends a block. */
function firstAfter(lines: readonly string[], at: number, ends: (line: string) => boolean): number {
  const found = lines.findIndex((line, index) => index >= at && ends(line));
  return found < 0 ? lines.length : found;
}

function codeAt(lines: readonly string[], at: number): Block {
  const end = firstAfter(lines, at + 1, (line) => FENCE.test(line));
  return { html: html`<pre>${lines.slice(at + 1, end).join('\n')}</pre>`, next: end + 1 };
}

function headingOf(marks: number, title: string, context: Context): Html {
  const level = Math.min(6, marks + (context.depth ?? 0));
  const tag = html`h${level}`;
  const text = renderInline(title, context);
  if (!context.hasAnchors) return html`<${tag}>${text}</${tag}>`;
  const plain = title.replace(/\[([^[\]]*)\]\([^()]*\)/g, '$1');
  const name = plain
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
  const before = context.named.get(name) ?? 0;
  context.named.set(name, before + 1);
  const id = before === 0 ? name : `${name}-${before}`;
  context.headings.push({ level, id, text: plain.replaceAll('`', '') });
  return html`<${tag} id="${id}">${text}</${tag}>`;
}

function tableAt(lines: readonly string[], at: number, context: Context): Block {
  const next = firstAfter(lines, at, (line) => !line.startsWith('|'));
  const [head = [], , ...rows] = lines.slice(at, next).map(cellsOf);
  const titles = head.map((cell) =>
    cell === '' ? html`<td></td>` : html`<th scope="col">${renderInline(cell, context)}</th>`,
  );
  const top = head.some((cell) => cell !== '') ? html`<thead><tr>${titles}</tr></thead>` : '';
  // Rows of images have nothing to show.
  const shown = rows.filter((cells) => !cells.every((cell) => cell.startsWith('![')));
  const body = shown.map(
    (cells) => html`<tr>${cells.map((cell) => html`<td>${renderInline(cell, context)}</td>`)}</tr>`,
  );
  return { html: html`<table>${top}<tbody>${body}</tbody></table>`, next };
}

/** Cells of a row. A bar within a cell is written `\|`. */
function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.replaceAll('\\|', '|').trim());
}

function listAt(lines: readonly string[], at: number, context: Context): Block {
  const isOrdered = /^\d/.test(lines[at] ?? '');
  const isOwn = (line: string) => ITEM.test(line) && /^\d/.test(line) === isOrdered;
  const next = firstAfter(lines, at, (line) => line !== '' && !line.startsWith('  ') && !isOwn(line));
  const items: string[][] = [];
  for (const line of lines.slice(at, next)) {
    const marker = isOwn(line) ? ITEM.exec(line)?.[0] : undefined;
    if (marker !== undefined) items.push([line.slice(marker.length)]);
    else items.at(-1)?.push(line.replace(isOrdered ? /^ {1,3}/ : /^ {1,2}/, ''));
  }
  const rendered = items.map((item) => html`<li>${itemOf(item, context)}</li>`);
  return { html: isOrdered ? html`<ol>${rendered}</ol>` : html`<ul>${rendered}</ul>`, next };
}

/** An item of one paragraph needs no element of its own. */
function itemOf(lines: readonly string[], context: Context): Html[] {
  const blocks = blocksOf(lines, context);
  const [only] = blocks;
  if (blocks.length === 1 && only?.isParagraph) return renderInline(lines.join(' ').trim(), context);
  return blocks.map((block) => block.html);
}
