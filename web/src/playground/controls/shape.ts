/** Value syntax of a parameter, as far as the page knows it. */
export interface Shape {
  kind: string;
  min?: number;
  max?: number;
  unit?: string;
  values?: readonly string[];
  /** True if `auto` is a value. */
  auto?: boolean;
}

/** Props of a control; an empty value means unset. */
export interface ControlProps {
  shape: Shape;
  title: string;
  value: string;
  /** Value that applies when unset. */
  absent: string | undefined;
  onChange(value: string): void;
}
