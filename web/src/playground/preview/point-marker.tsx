import { stepOf } from '../../components/arrow-step.ts';
import { messages } from '../../messages/en.ts';
import { inImage, type Point } from './geometry.ts';
import { useDrag } from './use-drag.ts';

interface PointMarkerProps {
  point: Point | undefined;
  onChange(point: Point): void;
}

/** Point over an image: set by a click, dragged, and moved by arrow keys. */
export function PointMarker({ point, onChange }: PointMarkerProps) {
  const { x, y } = point ?? { x: 0.5, y: 0.5 };
  const dragging = useDrag(
    (at) => {
      onChange(inImage(at));
      return at;
    },
    (_start, _by, at) => onChange(inImage(at)),
  );
  return (
    <div className="overlay point" {...dragging}>
      <button
        type="button"
        className="point-marker"
        data-unset={point === undefined || undefined}
        aria-label={messages.playground.point}
        aria-description={messages.playground.pointAt(Math.round(x * 100), Math.round(y * 100))}
        style={{ insetInlineStart: `${x * 100}%`, insetBlockStart: `${y * 100}%` }}
        onKeyDown={(event) => {
          const step = stepOf(event);
          if (!step) return;
          event.preventDefault();
          onChange(inImage({ x: x + step.x, y: y + step.y }));
        }}
      />
    </div>
  );
}
