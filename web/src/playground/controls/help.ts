import type { Parameter } from '../../api/types.ts';
import type { Listing } from '../segment.ts';
import { titleOf } from './groups.ts';

/** About three lines of a control. */
const MOST = 140;

/**
 * Help for a parameter: the first sentences of its summary. Text fields have no other hint at their values, so these
 * come first.
 */
export function helpOf({ summary, forms, shape }: Pick<Parameter, 'summary' | 'forms' | 'shape'>): string {
  const values = shape.kind === 'text' ? `${withoutAliases(forms)}.` : '';
  const text = values.charAt(0).toUpperCase() + values.slice(1);
  let help = text;
  for (const sentence of sentencesOf(withoutMarkup(summary))) {
    if (help !== '' && help.length + sentence.length > MOST) break;
    help = `${help} ${sentence}`.trim();
  }
  return help;
}

/** Other spellings (`lfill` = `fill`) and other keys are for those who read a URL, not for those who write one. */
function withoutAliases(forms: string): string {
  const pieces = forms.split('; ').filter((piece) => !piece.includes(' = '));
  return pieces
    .join('; ')
    .replace(/\. Other keys?:.*$/s, '')
    .replace(/\.$/, '');
}

/** Links keep their text. */
const withoutMarkup = (text: string) => text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');

const sentencesOf = (text: string) => text.split(/(?<=[.!?]) (?=[A-Z`])/);

/**
 * Section of the URL reference about a parameter. The page has one for each parameter of the lists in this order, but
 * one that layers and texts share. Sections of one name are numbered.
 */
export function sectionOf(parameter: Parameter, { image, layer, text, video }: Omit<Listing, 'presets'>): string {
  const sections = [...image, ...without(layer, image), ...without(text, layer), ...video];
  const at = sections.findIndex((one) => isSame(one, parameter));
  const name = anchorOf(parameter);
  const before = sections.slice(0, at).filter((one) => anchorOf(one) === name).length;
  return before === 0 ? name : `${name}-${before}`;
}

const anchorOf = ({ key, name }: Parameter) => `${key}-${titleOf(name)}`.toLowerCase().replaceAll(' ', '-');

const isSame = (one: Parameter, other: Parameter) => JSON.stringify(one) === JSON.stringify(other);

const without = (list: readonly Parameter[], others: readonly Parameter[]) =>
  list.filter((one) => !others.some((other) => isSame(one, other)));
