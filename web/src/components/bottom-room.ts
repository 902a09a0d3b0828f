import { listenable } from './listenable.ts';

/** Pixels at the bottom of the pages that a panel covers. Pages can be scrolled further by them. */
let room = 0;
const listeners = listenable();

/** Also sets `--bottom-room` for style sheets. */
export function setBottomRoom(pixels: number): void {
  if (pixels === room) return;
  room = pixels;
  document.documentElement.style.setProperty('--bottom-room', `${pixels}px`);
  listeners.notify();
}

export const useBottomRoom = (): number => listeners.use(() => room);
