/** Settings that the range of a parameter may depend on. */
export interface ParameterRules {
  /** The largest width or height that may be asked for, in pixels. */
  outputSide: number;
  /** The font families that texts can be set in. */
  families?: readonly string[] | undefined;
}

/**
 * How a syntax reads a text: as a value; as a text of the right form that misses the expected range; or as undefined when the text
 * has another form, so that the segment is a folder name.
 */
export type Reading<T> = { value: T } | { expected: string } | undefined;

/** What values look like, for whoever makes a form of them. Ends belong to ranges. */
type ValueShape =
  | { kind: 'integer' | 'decimal'; min: number; max: number; unit?: Unit }
  | { kind: 'choice'; values: readonly string[] }
  | { kind: 'colour' | 'ratio' | 'corners' | 'boolean' | 'text' };

export type Unit = 'pixels' | 'degrees' | 'seconds';

/** `auto`: this word is read as well. It is not among the values of a choice. */
export type Shape = ValueShape & { auto?: true };

/** How the values of a parameter are written. `parse(format(value))` gives `value` back. */
export interface Syntax<T> {
  parse(text: string, rules: ParameterRules): Reading<T>;
  /** The canonical spelling. */
  format(value: T): string;
  /** The accepted forms, for messages and for the reference. */
  readonly forms: string;
  /** What the values look like. Every canonical value fits; some spellings, such as short words, do not. */
  shape(rules: ParameterRules): Shape;
}

/** The entry of a parameter in the reference, beside the forms of its syntax. */
export interface ParameterReference {
  summary: string;
  /** Transformations whose results the reference shows. */
  examples: readonly string[];
}

/** One URL parameter: its names, its syntax, its default. A step adds its effect. */
export interface Parameter<Name extends string, T> {
  /** The long name, by which the rest of the code knows the value. */
  readonly name: Name;
  /** The key in a URL. */
  readonly key: string;
  readonly aliases?: readonly string[];
  readonly syntax: Syntax<T>;
  /** What parts the key from its value; `_` where it is not named. */
  readonly separator?: ':';
  /** The value that the key alone means; without it the key needs a value. */
  readonly alone?: NoInfer<T>;
  /** The value that its absence means. Spelled out, it makes no second variant. */
  readonly default?: NoInfer<T>;
  /** Whether its value multiplies what has `scale`, and is gone then. */
  readonly isFactor?: true;
  /** For what is measured in pixels of the result: the value for screens with so many pixels for each of CSS. */
  scale?(value: T, factor: number): NoInfer<T>;
  /**
   * Whether the value came into the language when it was in use already, so that folders may have such names. Without this no value
   * did.
   */
  isLate?(value: T): boolean;
  /** True when the other options leave the parameter without effect, so that it makes no second variant. */
  idle?(options: Readonly<Record<string, unknown>>): boolean;
  readonly reference: ParameterReference;
}

export type ParameterList = readonly Parameter<string, unknown>[];

/** The options that a list of parameters describes, by their long names. */
export type OptionsOf<List extends ParameterList> = {
  [P in List[number] as P['name']]?: P extends Parameter<string, infer T> ? T : never;
};
