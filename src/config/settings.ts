import { z } from 'zod';
import { SECRETS, variables } from './variables.ts';

/** A variable of the environment, as the operator may see it. */
export interface Setting {
  name: string;
  /** What holds, as one would write it: the given text, or the default. Null where there is neither, and for a secret. */
  value: string | null;
  /** Null where there is none, and where it follows from the machine or from other settings. */
  default: string | null;
  isSet: boolean;
  isSecret: boolean;
}

/** Every variable that the service reads, without any secret. @param present what the environment gives */
export function listSettings(present: NodeJS.ProcessEnv): Setting[] {
  return Object.entries(variables).map(([name, schema]) => {
    const isSecret = SECRETS.includes(name);
    const standard = defaultOf(schema);
    const given = present[name];
    const value = isSecret ? null : (withoutCredentials(given) ?? standard);
    return { name, value, default: standard, isSet: given !== undefined, isSecret };
  });
}

function defaultOf(schema: z.core.$ZodType): string | null {
  const standard = schema instanceof z.ZodPrefault ? schema.def.defaultValue : undefined;
  return typeof standard === 'string' && standard !== '' ? standard : null;
}

/** A URL of another setting may have a password in it as well. */
function withoutCredentials(text: string | undefined): string | undefined {
  return text?.replaceAll(/(\w:\/\/)[^/?#\s@]*@/g, '$1***@');
}
