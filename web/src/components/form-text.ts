/** Trimmed text of a field of a form; empty without it. Passwords are taken as they are instead. */
export const textOf = (data: FormData, name: string): string => String(data.get(name) ?? '').trim();
