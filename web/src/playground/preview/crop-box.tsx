import { stepOf } from '../../components/arrow-step.ts';
import { messages } from '../../messages/en.ts';
import { type Box, boxBetween, HANDLES, type Handle, moveBox, resizeBox } from './geometry.ts';
import { useDrag } from './use-drag.ts';

const { crop } = messages.playground;

interface CropBoxProps {
  box: Box;
  /** True while the whole image is selected: a drag draws a new rectangle then. */
  isWhole: boolean;
  /** Ratio of width to height in fractions; undefined if it is free. */
  lock: number | undefined;
  /** The rectangle in pixels of the original; undefined if they are not known. */
  pixels: Box | undefined;
  onChange(box: Box): void;
}

const percent = (value: number) => `${Math.round(value * 1000) / 10}%`;

/** Crop rectangle over an image: drawn, moved and resized by pointer and by arrow keys. */
export function CropBox({ box, isWhole, lock, pixels, onChange }: CropBoxProps) {
  const drawing = useDrag(
    (at) => at,
    (from, _, at) => {
      const next = boxBetween(from, at, lock);
      if (next.width > 0.01 && next.height > 0.01) onChange(next);
    },
  );
  const moving = useDrag(
    () => (isWhole ? undefined : box),
    (start, by) => onChange(moveBox(start, by.x, by.y)),
  );
  return (
    <div className="overlay crop" {...drawing}>
      <div
        className="crop-box"
        style={{
          insetInlineStart: percent(box.x),
          insetBlockStart: percent(box.y),
          width: percent(box.width),
          height: percent(box.height),
        }}
      >
        <button
          type="button"
          className="crop-area"
          aria-label={crop.area}
          aria-description={crop.keys}
          {...moving}
          onKeyDown={(event) => {
            const step = stepOf(event);
            if (!step) return;
            event.preventDefault();
            onChange(moveBox(box, step.x, step.y));
          }}
        />
        {pixels && (
          <span className="crop-size number" aria-hidden="true">
            {crop.size(pixels)}
          </span>
        )}
        {HANDLES.map((handle) => (
          <CropHandle key={handle} handle={handle} box={box} lock={lock} onChange={onChange} />
        ))}
      </div>
    </div>
  );
}

function CropHandle({
  handle,
  box,
  lock,
  onChange,
}: Pick<CropBoxProps, 'box' | 'lock' | 'onChange'> & { handle: Handle }) {
  const dragging = useDrag(
    () => box,
    (start, by) => onChange(resizeBox(start, handle, by, lock)),
  );
  return (
    <button
      type="button"
      className={`crop-handle is-${handle}`}
      aria-label={crop.handles[handle]}
      aria-description={crop.keys}
      {...dragging}
      onKeyDown={(event) => {
        const step = stepOf(event);
        if (!step) return;
        event.preventDefault();
        onChange(resizeBox(box, handle, step, lock));
      }}
    />
  );
}
