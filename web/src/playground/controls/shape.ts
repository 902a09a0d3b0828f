/** What the values of a parameter look like, as far as this page knows. */
export interface Shape {
  kind: string;
  min?: number;
  max?: number;
  unit?: string;
  values?: readonly string[];
  /** The word `auto` is taken as well. */
  auto?: boolean;
}

/** What a control of any shape is given, and how it says what was chosen; an empty text is no value. */
export interface ControlProps {
  shape: Shape;
  title: string;
  value: string;
  /** What absence means, where that is a value. */
  absent: string | undefined;
  onChange(value: string): void;
}
