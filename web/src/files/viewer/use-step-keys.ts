import { type RefObject, useEffect, useRef } from 'react';
import type { KeyHandler } from './image-stage.tsx';

/** Fields and players have arrow keys of their own. */
const WITH_KEYS = 'input, textarea, select, audio, video';

const hasModifier = ({ altKey, ctrlKey, metaKey }: KeyboardEvent) => altKey || ctrlKey || metaKey;

/**
 * Steps to the next or previous file by keys while the focus is in a region.
 * @param own takes a key first: a zoomed image is moved by arrow keys
 */
export function useStepKeys(
  region: RefObject<HTMLElement | null>,
  steps: Readonly<Record<string, 1 | -1>>,
  step: (by: 1 | -1) => void,
  own?: RefObject<KeyHandler | undefined>,
): void {
  const latest = useRef(step);
  latest.current = step;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, target } = event;
      const isHere = target instanceof Element && region.current?.contains(target) && !target.matches(WITH_KEYS);
      if (!isHere || event.defaultPrevented || hasModifier(event)) return;
      const by = steps[key];
      if (!own?.current?.(key)) {
        if (by === undefined) return;
        latest.current(by);
      }
      event.preventDefault();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [region, steps, own]);
}
