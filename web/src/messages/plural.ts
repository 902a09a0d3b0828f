const numbers = new Intl.NumberFormat('en');

/** `1 file`, `1,234 files` */
export const plural = (count: number, one: string, many: string): string =>
  `${numbers.format(count)} ${count === 1 ? one : many}`;
