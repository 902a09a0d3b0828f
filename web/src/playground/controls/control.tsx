import type { Asset, Parameter } from '../../api/types.ts';
import { Choice, Switch } from './choice.tsx';
import { ColourControl } from './colour.tsx';
import { Corners } from './corners.tsx';
import { areDirections, Directions } from './directions.tsx';
import { Focus, isFocus } from './focus.tsx';
import { isVector } from './groups.ts';
import { NumberControl } from './number.tsx';
import { Ratio } from './ratio.tsx';
import type { Shape } from './shape.ts';
import { TextControl } from './text.tsx';
import { Timeline } from './timeline.tsx';

interface Props {
  source: Asset;
  parameter: Parameter;
  title: string;
  value: string;
  onChange(value: string): void;
}

/** Control of a shape. Unknown shapes get a text field, so new parameters work immediately. */
export function Control({ source, parameter, ...rest }: Props) {
  const shape = parameter.shape as Shape;
  const props = { ...rest, shape, absent: parameter.default };
  switch (shape.kind) {
    case 'integer':
    case 'decimal':
      if (shape.unit === 'seconds' && source.duration) return <Timeline {...props} source={source} />;
      return <NumberControl {...props} most={mostOf(shape, source)} />;
    case 'choice':
      if (isFocus(shape)) return <Focus {...props} hasPeople={!isVector(source)} />;
      return areDirections(shape) ? <Directions {...props} /> : <Choice {...props} />;
    case 'boolean':
      return <Switch {...props} />;
    case 'colour':
      return <ColourControl {...props} />;
    case 'ratio':
      return <Ratio {...props} />;
    case 'corners':
      return <Corners {...props} />;
    default:
      return <TextControl {...props} />;
  }
}

/** End of the slider; twice the size of the file is enough. */
function mostOf({ max = 100, unit }: Shape, { width, height }: Asset): number {
  if (unit === 'pixels') return Math.min(max, 2 * Math.max(width ?? 1024, height ?? 1024));
  return unit === 'seconds' ? Math.min(max, 600) : max;
}
