import { useEffect, useId, useRef, useState } from 'react';
import type { Asset } from '../../api/types.ts';
import { Button } from '../../components/button.tsx';
import { messages } from '../../messages/en.ts';
import { type Layer, layersOf, withLayers, writeLayer } from '../layered.ts';
import type { LocatedProblem } from '../problem.ts';
import type { Listing } from '../segment.ts';
import { ImageDialog } from './image-dialog.tsx';
import { type LayerAction, LayerRow } from './layer-row.tsx';

interface LayersCardProps {
  source: Asset;
  segment: string;
  listing: Listing;
  problem: LocatedProblem | undefined;
  onChange(segment: string): void;
}

/** Initial parameters: visible, and relative to the result at any width. */
const NEW_IMAGE = 'w_0.25,g_south_east,x_0.03,y_0.03';
const NEW_TEXT = 'fs_48,co_white,g_south,y_0.05';

/** Image and text layers in painting order. */
export function LayersCard({ problem, segment, onChange, ...rest }: LayersCardProps) {
  const id = useId();
  const { layers, open, setOpen, add, apply, change } = useLayers(id, segment, onChange);
  return (
    <section className="card layers" aria-labelledby={id}>
      <div className="layers-head">
        <h2 id={id}>
          {messages.layers.title}
          {layers.length > 0 && <span className="number">{layers.length}</span>}
        </h2>
        <Adding id={`${id}-text`} onAdd={add} />
      </div>
      {layers.length > 1 && <p className="layers-hint">{messages.layers.order}</p>}
      <ol>
        {layers.map((written, index) => (
          <LayerRow
            // biome-ignore lint/suspicious/noArrayIndexKey: a layer is its position; two may be written alike.
            key={index}
            {...rest}
            written={written}
            index={index}
            count={layers.length}
            id={`${id}-${index}`}
            isOpen={open === index}
            problem={problem?.layer === index ? problem : undefined}
            onToggle={() => setOpen(open === index ? undefined : index)}
            onAction={(action) => apply(action, index)}
            onChange={(next) => change(layers.with(index, next))}
          />
        ))}
      </ol>
    </section>
  );
}

/** Actions on layers, and the open layer. @param id prefix of control ids */
function useLayers(id: string, segment: string, onChange: (segment: string) => void) {
  const layers = layersOf(segment);
  const [open, setOpen] = useState<number>();
  const focus = useFocus();
  const change = (next: readonly string[]) => onChange(withLayers(segment, next));
  const add = (layer: Layer) => {
    change([...layers, writeLayer(layer)]);
    setOpen(layers.length);
    const isReady = layer.source.kind === 'image' && layer.source.path !== '';
    focus(`${id}-${layers.length}${isReady ? '' : '-content'}`);
  };
  const apply = (action: LayerAction, index: number) => {
    const { next, position } = applyAction(layers, action, index);
    change(next);
    setOpen(openAfter(open, action, index, position));
    const isMoved = action === 'up' || action === 'down';
    focus(...(isMoved ? [`${id}-${position}-${action}`] : []), `${id}-${position}`, `${id}-text`);
  };
  return { layers, open, setOpen, add, apply, change };
}

/** Adds an image or text layer. @param id of the last button */
function Adding({ id, onAdd }: { id: string; onAdd(layer: Layer): void }) {
  const [isChoosing, setChoosing] = useState(false);
  const addImage = (path: string) => {
    setChoosing(false);
    onAdd({ source: { kind: 'image', path }, parts: NEW_IMAGE });
  };
  return (
    <>
      <Button icon="image" aria-label={messages.layers.addImage} onPress={() => setChoosing(true)}>
        {messages.layers.image}
      </Button>
      <Button
        icon="text"
        id={id}
        aria-label={messages.layers.addText}
        onPress={() => onAdd({ source: { kind: 'text', text: messages.layers.newText }, parts: NEW_TEXT })}
      >
        {messages.layers.text}
      </Button>
      {isChoosing && <ImageDialog onChoose={addImage} onType={() => addImage('')} onClose={() => setChoosing(false)} />}
    </>
  );
}

/** Applies an action. Returns the position of the moved or copied layer, or of the next one after a removal. */
function applyAction(
  layers: readonly string[],
  action: LayerAction,
  index: number,
): { next: string[]; position: number } {
  const written = layers[index] ?? '';
  const others = layers.toSpliced(index, 1);
  if (action === 'remove') return { next: others, position: Math.min(index, others.length - 1) };
  if (action === 'duplicate') return { next: layers.toSpliced(index + 1, 0, written), position: index + 1 };
  const position = action === 'up' ? index - 1 : index + 1;
  return { next: others.toSpliced(position, 0, written), position };
}

/** Open layer after an action: the same one, or the copy. */
function openAfter(open: number | undefined, action: LayerAction, index: number, position: number): number | undefined {
  if (action === 'duplicate') return position;
  if (open === undefined || (action === 'remove' && open === index)) return undefined;
  if (action === 'remove') return open > index ? open - 1 : open;
  if (open === index) return position;
  return open === position ? index : open;
}

/** Moves the focus after the next render to the first focusable element of some ids. */
function useFocus() {
  const nextFocus = useRef<string[]>([]);
  useEffect(() => {
    const ids = nextFocus.current;
    nextFocus.current = [];
    for (const id of ids) {
      const element = document.getElementById(id);
      if (!element || (element as HTMLButtonElement).disabled) continue;
      element.focus();
      if (element instanceof HTMLTextAreaElement) element.select();
      return;
    }
  });
  return (...ids: string[]) => {
    nextFocus.current = ids;
  };
}
