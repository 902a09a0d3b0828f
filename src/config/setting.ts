import type { z } from 'zod';

/** Units of the environment that are converted: sizes to bytes, durations to ms, areas to pixels. */
const UNITS = {
  KB: 1024,
  MB: 1024 * 1024,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
  megapixels: 1e6,
} as const;

type Unit = keyof typeof UNITS;

/** Sections of `docs/configuration.md`, in their order. */
export const SECTIONS = ['Service', 'Access', 'Limits', 'Cache', 'Bucket', 'Catalog', 'Images', 'Videos'] as const;

export type Section = (typeof SECTIONS)[number];

interface SettingOptions {
  /** Text that applies while the variable is not set. */
  default?: string;
  /** Unit of the variable. The value is converted to bytes, ms or pixels. */
  unit?: Unit;
  /** Meaning of the variable in Markdown, for `docs/configuration.md`. */
  about: string;
  /** True for a value that is never shown. */
  secret?: boolean;
}

type Reading = { value: unknown } | { error: string };

/** An environment variable and the type of its value. */
export class Setting<T = unknown> {
  readonly name: string;
  readonly about: string;
  readonly isSecret: boolean;
  /** As it would be written; undefined where there is none, or where it depends on the host or on other settings. */
  readonly default: string | undefined;
  /** Assigned by `inSection`. */
  section: Section | undefined;
  readonly #schema: z.ZodType<T>;
  readonly #factor: number;

  constructor(name: string, schema: z.ZodType<T>, options: SettingOptions) {
    this.name = name;
    this.about = options.about;
    this.isSecret = options.secret ?? false;
    this.default = options.default;
    this.#schema = schema;
    this.#factor = options.unit === undefined ? 1 : UNITS[options.unit];
  }

  /** Reads the text of the variable, or the default. The error of a secret does not show its value. */
  read(text: string | undefined): Reading {
    const source = text ?? this.default;
    if (source === undefined) return { value: undefined };
    const { success, data } = this.#schema.safeParse(source);
    if (success) return { value: typeof data === 'number' ? data * this.#factor : data };
    const received = this.isSecret ? `a value of ${source.length} characters` : JSON.stringify(source);
    return { error: `${this.name}: expected ${this.#schema.description}, received ${received}` };
  }
}

export interface SettingTree {
  readonly [key: string]: Setting | SettingTree;
}

/** Values of a tree of settings, in the same shape. */
export type ValuesOf<T> = T extends Setting<infer Value> ? Value : { [Key in keyof T]: ValuesOf<T[Key]> };

/** Declares a setting. Its value is undefined while the variable is not set, unless it has a default. */
export function setting<T, const Options extends SettingOptions>(
  name: string,
  schema: z.ZodType<T>,
  options: Options,
): Setting<Options extends { default: string } ? T : T | undefined> {
  return new Setting(name, schema, options);
}

/** Assigns the settings of a tree to a section of `docs/configuration.md`. */
export function inSection<T extends SettingTree>(section: Section, tree: T): T {
  for (const one of listOfSettings(tree)) one.section = section;
  return tree;
}

/** Lists the settings of a tree, depth first. */
export function listOfSettings(tree: SettingTree): Setting[] {
  return Object.values(tree).flatMap((node) => (node instanceof Setting ? [node] : listOfSettings(node)));
}

/** Reads a tree of settings. Calls `onError` with a line for each wrong variable, whose value is undefined then. */
export function readSettings<T extends SettingTree>(
  tree: T,
  environment: NodeJS.ProcessEnv,
  onError: (line: string) => void,
): ValuesOf<T> {
  const entries = Object.entries(tree).map(([key, node]) => {
    if (!(node instanceof Setting)) return [key, readSettings(node, environment, onError)];
    const reading = node.read(environment[node.name]);
    if ('value' in reading) return [key, reading.value];
    onError(reading.error);
    return [key, undefined];
  });
  return Object.fromEntries(entries);
}
