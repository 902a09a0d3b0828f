import { settings } from '../src/config/tree.ts';

/** Names of all settings. */
export const SETTING_NAMES: readonly string[] = settings.map(({ name }) => name);

/** Names of the settings whose values are never shown. */
export const SECRET_NAMES: readonly string[] = settings.filter(({ isSecret }) => isSecret).map(({ name }) => name);

/** Returns the defaults of all settings, in the format of the environment; empty for none. */
export function describeVariables(): Record<string, string> {
  return Object.fromEntries(settings.map((setting) => [setting.name, setting.default ?? '']));
}
