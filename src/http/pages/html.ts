/** Text that is already HTML. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | string | number | readonly Value[];

/** Template tag for HTML. Escapes values that are not HTML themselves, and joins lists. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(parts.map((part, index) => part + write(values[index] ?? '')).join(''));
}

function write(value: Value): string {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(write).join('');
  return String(value)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
