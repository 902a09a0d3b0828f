import { useQuery } from '@tanstack/react-query';
import { nameOf } from '../../api/paths.ts';
import { sourceQuery } from '../../api/playground.ts';
import { stepOf } from '../../components/arrow-step.ts';
import { messages } from '../../messages/en.ts';
import { type Layer, layersOf, readLayer, withLayers } from '../layered.ts';
import { useDrag } from '../preview/use-drag.ts';
import { valueIn } from '../segment.ts';
import { boxOfLayer, type Ground, moveLayer } from './placed.ts';

interface LayerHandlesProps extends Omit<Ground, 'dpr'> {
  /** Transformation without presets, as typed. */
  segment: string;
  onChange(segment: string): void;
}

/** Handles over the result that move its layers. */
export function LayerHandles({ segment, onChange, ...rest }: LayerHandlesProps) {
  const layers = layersOf(segment);
  const ground = { ...rest, dpr: Number(valueIn(segment, 'dpr', rest.listing.image)) || 1 };
  return (
    <div className="overlay layer-handles">
      {layers.map((written, index) => {
        const layer = readLayer(written);
        if (!layer) return null;
        return (
          <LayerHandle
            // biome-ignore lint/suspicious/noArrayIndexKey: a layer is its position; two may be written alike.
            key={index}
            layer={layer}
            ground={ground}
            onChange={(next) => onChange(withLayers(segment, layers.with(index, next)))}
          />
        );
      })}
    </div>
  );
}

interface LayerHandleProps {
  layer: Layer;
  ground: Ground;
  onChange(written: string): void;
}

function LayerHandle({ layer, ground, onChange }: LayerHandleProps) {
  const { source } = layer;
  const path = source.kind === 'image' ? source.path : '';
  const { data } = useQuery({ ...sourceQuery(path), enabled: path !== '', retry: false });
  const natural = data?.width && data.height ? { width: data.width, height: data.height } : undefined;
  const box = boxOfLayer(layer, ground, natural);
  const dragging = useDrag(
    () => box && { layer, box },
    (start, by) => onChange(moveLayer(start.layer, by, start.box, ground)),
  );
  if (!box) return null;
  const title = source.kind === 'text' ? source.text.trim() : nameOf(path);
  return (
    <button
      type="button"
      className="layer-handle"
      aria-label={messages.layers.moveOnImage(title || messages.layers[source.kind])}
      aria-description={messages.layers.moveKeys}
      style={{
        insetInlineStart: `${box.x * 100}%`,
        insetBlockStart: `${box.y * 100}%`,
        width: `${box.width * 100}%`,
        height: `${box.height * 100}%`,
      }}
      {...dragging}
      onKeyDown={(event) => {
        const step = stepOf(event);
        if (!step) return;
        event.preventDefault();
        onChange(moveLayer(layer, step, box, ground));
      }}
    />
  );
}
