import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { bytesOf } from '../../api/files.ts';
import { stepOf } from '../../components/arrow-step.ts';
import { Button } from '../../components/button.tsx';
import { hasShortcuts } from '../../components/shortcuts.ts';
import { viewerMessages } from '../../messages/viewer.ts';
import { obstaclesOf } from './glb.ts';
import type { StageProps } from './image-stage.tsx';
import type { ModelScene } from './model-scene.ts';
import { STEP } from './zoom.ts';

/** Larger models are not loaded: they would have to fit into the memory of the browser several times. */
const MAX_BYTES = 100 * 1024 * 1024;

type State = 'loading' | 'shown' | { failure: string };

/** Model that turns, and is turned by mouse, touch and arrow keys. */
export function ModelStage({ asset, keys }: StageProps) {
  const { path, mtime, name, size, alt } = asset;
  const canvas = useRef<HTMLCanvasElement>(null);
  const scene = useRef<ModelScene>(undefined);
  const [state, setState] = useState<State>('loading');
  const [isTurning, setTurning] = useState(() => !prefersStillness());
  useEffect(() => scene.current?.setTurning(isTurning && state === 'shown'), [isTurning, state]);
  useEffect(() => {
    const leave = new AbortController();
    const load = async () => {
      if (size > MAX_BYTES) throw new Error(viewerMessages.tooLarge);
      // Nearly as large as all scripts of the library: loaded with the first model.
      const [{ showModel }, bytes] = await Promise.all([
        import('./model-scene.ts'),
        bytesOf(path, mtime, leave.signal),
      ]);
      const obstacles = obstaclesOf(bytes);
      if (obstacles) throw new Error(viewerMessages.obstacles(obstacles));
      if (leave.signal.aborted || !canvas.current) return;
      const shown = await showModel(canvas.current, bytes, {
        isAnimated: !prefersStillness(),
        onTouch: () => setTurning(false),
      });
      if (leave.signal.aborted) return shown.dispose();
      scene.current = shown;
      setState('shown');
    };
    load().catch((error) => {
      if (!leave.signal.aborted) setState({ failure: error instanceof Error ? error.message : String(error) });
    });
    return () => {
      leave.abort();
      scene.current?.dispose();
      scene.current = undefined;
    };
  }, [path, mtime, size]);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = stepOf(event);
    if (!step) return;
    event.preventDefault();
    setTurning(false);
    scene.current?.turn(step.x * 3, step.y * 3);
  };
  keys.current = (key) => {
    if (!hasShortcuts()) return false;
    if (key === '+' || key === '=') scene.current?.zoom(STEP);
    else if (key === '-') scene.current?.zoom(1 / STEP);
    else if (key === '0') scene.current?.reset();
    else return false;
    return true;
  };
  return (
    <>
      <div className="viewer-stage">
        <canvas
          ref={canvas}
          className="viewer-model"
          tabIndex={0}
          role="img"
          aria-label={viewerMessages.model(alt ?? name)}
          onKeyDown={onKeyDown}
          hidden={typeof state === 'object'}
        />
      </div>
      {state === 'loading' && (
        <p className="viewer-message" role="status">
          {viewerMessages.loading}
        </p>
      )}
      {typeof state === 'object' && <p className="viewer-message">{viewerMessages.noModel(state.failure)}</p>}
      <div className="viewer-foot">
        {state === 'shown' && (
          <div className="viewer-group">
            <Button
              variant="plain"
              icon={isTurning ? 'pause' : 'play'}
              aria-label={isTurning ? viewerMessages.stopTurning : viewerMessages.turn}
              onPress={() => setTurning(!isTurning)}
            />
            <Button
              variant="plain"
              icon="minus"
              aria-label={viewerMessages.zoomOut}
              onPress={() => scene.current?.zoom(1 / STEP)}
            />
            <Button
              variant="plain"
              icon="plus"
              aria-label={viewerMessages.zoomIn}
              onPress={() => scene.current?.zoom(STEP)}
            />
            <Button variant="plain" icon="fit" aria-label={viewerMessages.fit} onPress={() => scene.current?.reset()} />
          </div>
        )}
      </div>
    </>
  );
}

const prefersStillness = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
