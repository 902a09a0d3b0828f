/** Extension of a file name with its dot; empty without one. A leading dot starts no extension. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot);
}

/** True if a new name has another extension, in any case. */
export const changesExtension = (from: string, to: string): boolean =>
  extensionOf(from).toLowerCase() !== extensionOf(to).toLowerCase();

/** Extensions are short and begin with a letter; `v2` is part of a name. */
const LIKE_EXTENSION = /^\.(?!v\d+$)[a-z][a-z0-9]{1,3}$/i;

/** The new name with the extension of the previous one: `b.png` and `b` for `a.jpg` give `b.jpg`. */
export function withExtensionOf(from: string, to: string): string {
  const typed = extensionOf(to);
  const stem = LIKE_EXTENSION.test(typed) ? to.slice(0, to.length - typed.length) : to.replace(/\.$/, '');
  return stem + extensionOf(from);
}
