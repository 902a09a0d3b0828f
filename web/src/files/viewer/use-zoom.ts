import { type RefObject, useLayoutEffect, useState } from 'react';
import { bounded, fitView, type Point, type Size, type View, zoomedAt } from './zoom.ts';

const CENTRE: Point = { x: 0, y: 0 };

export interface Zoom {
  view: View;
  /** True if the whole image is visible. */
  isFit: boolean;
  zoomBy(factor: number, at?: Point): void;
  panBy(x: number, y: number): void;
  toFit(): void;
  /** One pixel of the image per pixel of the screen. */
  toActual(at?: Point): void;
  /** Between everything and one pixel per pixel, or a closer look where that is the same. */
  toggle(at: Point): void;
}

/** Zoom and position of an image on a stage. */
export function useZoom(stage: RefObject<HTMLElement | null>, image: Size, isScalable: boolean): Zoom {
  const size = useSize(stage);
  // Undefined: everything is visible, also after the window has changed.
  const [set, setView] = useState<View>();
  const fit = fitView(size, image, isScalable);
  const view = set === undefined ? fit : bounded(set, size, image);
  const change = (next: (view: View) => View) =>
    setView((old) => {
      const changed = next(old === undefined ? fit : bounded(old, size, image));
      return changed.scale <= fit.scale * 1.001 ? undefined : changed;
    });
  const zoomTo = (scale: number, at: Point) => change((old) => zoomedAt(old, scale, at, size, image, isScalable));
  return {
    view,
    isFit: set === undefined,
    zoomBy: (factor, at = CENTRE) => change((old) => zoomedAt(old, old.scale * factor, at, size, image, isScalable)),
    panBy: (x, y) => change((old) => bounded({ ...old, x: old.x + x, y: old.y + y }, size, image)),
    toFit: () => setView(undefined),
    toActual: (at = CENTRE) => zoomTo(1, at),
    toggle: (at) => (set === undefined ? zoomTo(fit.scale < 0.99 ? 1 : 2 * fit.scale, at) : setView(undefined)),
  };
}

/** Content size of an element in pixels. */
function useSize(element: RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 1, height: 1 });
  useLayoutEffect(() => {
    const measured = element.current;
    if (!measured) return;
    const measure = () => setSize({ width: measured.clientWidth || 1, height: measured.clientHeight || 1 });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(measured);
    return () => observer.disconnect();
  }, [element]);
  return size;
}
