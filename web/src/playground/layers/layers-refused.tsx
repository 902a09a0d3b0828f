import { Button } from '../../parts/button.tsx';
import { words } from '../../words/en.ts';

/** Says that there are no videos with layers, and what can be had instead. */
export function LayersRefused({ onFrame, onRemove }: { onFrame(): void; onRemove(): void }) {
  return (
    <section className="card transcode" aria-label={words.playground.transcode}>
      <p>
        {words.layers.refused} <span className="quiet">{words.layers.refusedText}</span>
      </p>
      <div className="transcode-acts">
        <Button onPress={onRemove}>{words.layers.removeAll}</Button>
        <Button look="main" icon="image" onPress={onFrame}>
          {words.layers.frame}
        </Button>
      </div>
    </section>
  );
}
