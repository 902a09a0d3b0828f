import { variables } from '../src/config/variables.ts';

/** The variables with their defaults as one would write them; empty where there is none. */
export function describeVariables(): Record<string, string> {
  const defaults = Object.entries(variables).map(([name, schema]) => {
    const { data } = schema.safeParse(undefined);
    if (Array.isArray(data)) return [name, data.join(',')];
    return [name, typeof data === 'string' || typeof data === 'number' ? String(data) : ''];
  });
  return Object.fromEntries(defaults);
}
