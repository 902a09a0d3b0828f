/** Settings that the range of a parameter may depend on. */
export interface ParameterRules {
  /** Largest width or height of a result, in pixels. */
  outputSide: number;
  /** Font families available for texts. */
  families?: readonly string[] | undefined;
}

/**
 * Result of a syntax: a value; the expected range for a well-formed text outside of it; or undefined for any other
 * text, which makes the segment a folder name.
 */
export type Reading<T> = { value: T } | { expected: string } | undefined;

/** Input control of a value. Limits belong to ranges. */
type ValueShape =
  | { kind: 'integer' | 'decimal'; min: number; max: number; unit?: Unit }
  | { kind: 'choice'; values: readonly string[] }
  | { kind: 'colour' | 'ratio' | 'corners' | 'boolean' | 'text' };

export type Unit = 'pixels' | 'degrees' | 'seconds';

/** `auto`: this text is accepted as well. It is not listed in the values of a choice. */
export type Shape = ValueShape & { auto?: true };

/** Reads and writes the values of a parameter. `parse(format(value))` returns `value`. */
export interface Syntax<T> {
  parse(text: string, rules: ParameterRules): Reading<T>;
  /** Returns the canonical spelling. */
  format(value: T): string;
  /** Accepted texts, for messages and the reference. */
  readonly forms: string;
  /** Describes the values. Every canonical value fits; some aliases do not. */
  shape(rules: ParameterRules): Shape;
}

/** Entry of a parameter in the reference, besides the texts of its syntax. */
export interface ParameterReference {
  summary: string;
  /** Transformations whose results the reference shows. */
  examples: readonly string[];
}

/** A URL parameter: names, syntax and default. A step adds its effect. */
export interface Parameter<Name extends string, T> {
  /** Long name, used in the code. */
  readonly name: Name;
  /** Key in a URL. */
  readonly key: string;
  readonly aliases?: readonly string[];
  readonly syntax: Syntax<T>;
  /** Separates the key from its value; `_` by default. */
  readonly separator?: ':';
  /** Value of the key without a value; undefined if it needs one. */
  readonly alone?: NoInfer<T>;
  /** Value if the parameter is absent. Written explicitly, it makes no second variant. */
  readonly default?: NoInfer<T>;
  /** True if its value multiplies parameters with `scale` and is dropped then. */
  readonly isFactor?: true;
  /** For lengths in pixels of the result: returns the value for a device pixel ratio. */
  scale?(value: T, factor: number): NoInfer<T>;
  /**
   * True if the value was added when the language was already in use, so that folders may have its name. Without it, no
   * value was.
   */
  isLate?(value: T): boolean;
  /** True if the parameter has no effect with the other options, so that it makes no second variant. */
  idle?(options: Readonly<Record<string, unknown>>): boolean;
  readonly reference: ParameterReference;
}

export type ParameterList = readonly Parameter<string, unknown>[];

/** Options of a list of parameters, by their long names. */
export type OptionsOf<List extends ParameterList> = {
  [P in List[number] as P['name']]?: P extends Parameter<string, infer T> ? T : never;
};
