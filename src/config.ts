import { derive } from './config/derive.ts';
import { nearMisses } from './config/near-misses.ts';
import { checkRules } from './config/rules.ts';
import { readSettings, type Section } from './config/setting.ts';
import { settings, tree } from './config/tree.ts';

/** Thrown for a wrong environment, with one line for each wrong variable. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly lines: readonly string[];
  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}

/** An environment variable, as shown to the operator. */
export interface ListedSetting {
  name: string;
  /** Effective text: the variable or the default. Null where there is neither, and for a secret. */
  value: string | null;
  /** Null where there is none, or where it depends on the host or on other settings. */
  default: string | null;
  isSet: boolean;
  isSecret: boolean;
  /** Meaning, as text with code between backticks. */
  description: string;
  /** Section of the configuration. */
  group: Section;
  /** Page of the documentation that explains it, with a heading: `behind-a-proxy#forwarded-headers`. */
  documentation: string;
}

export interface Config extends ReturnType<typeof derive> {
  /** All variables, for display. */
  settings: readonly ListedSetting[];
}

/**
 * Reads and validates the whole environment. An empty variable counts as absent.
 * @throws ConfigError with one line for each wrong variable: its name, the expected format, the received value
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const lines: string[] = [];
  const values = readSettings(tree, present, (line) => lines.push(line));
  lines.push(...checkRules(present));
  if (lines.length > 0) throw new ConfigError(lines);
  return deepFreeze({ ...derive(values), settings: listSettings(present) });
}

/** Returns a line for each unknown variable whose name is similar to that of a setting. */
export function misspelledVariables(environment: NodeJS.ProcessEnv = process.env): string[] {
  const known = settings.map(({ name }) => name);
  const misses = nearMisses(Object.keys(environment), known);
  return misses.map(({ name, meant }) => `${name}: there is no such setting; is ${meant} meant?`);
}

/** Lists every variable that the service reads, without any secret. */
function listSettings(present: NodeJS.ProcessEnv): ListedSetting[] {
  return settings.map(({ name, isSecret, default: text, about, section = 'Service' }) => {
    // An empty default means that nothing is set.
    const standard = text || null;
    const value = isSecret ? null : (withoutCredentials(present[name]) ?? standard);
    return {
      name,
      value,
      default: standard,
      isSet: present[name] !== undefined,
      isSecret,
      description: about.replace(LINK, '$1'),
      group: section,
      documentation: documentationOf(about) ?? `configuration#${section.toLowerCase()}`,
    };
  });
}

const LINK = /\[([^[\]]*)\]\([^()]*\)/g;

/** Returns the first page that a text links to, without its extension. */
function documentationOf(about: string): string | undefined {
  const [, page, heading = ''] = /\]\(([\w/-]+)\.md(#[^)]*)?\)/.exec(about) ?? [];
  return page === undefined ? undefined : page + heading;
}

/** Hides users and passwords in URLs, which settings that are no secret may contain too. */
function withoutCredentials(text: string | undefined): string | undefined {
  return text?.replaceAll(/(\w:\/\/)[^/?#\s@]*@/g, '$1***@');
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  return Object.freeze(value);
}
