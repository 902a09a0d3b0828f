export interface Point {
  left: number;
  top: number;
}

export interface Rectangle extends Point {
  width: number;
  height: number;
}

/** A possible face, in pixels of the analysed image. */
export interface Find extends Rectangle {
  /** Confidence; its scale depends on the detector. */
  certainty: number;
}

/** Two detections that share this much of the smaller one are one face. */
const SAME_FACE = 0.3;

/** Returns the highest confidence; 0 without detections. */
export function certaintyOf(finds: readonly Find[]): number {
  return Math.max(0, ...finds.map((find) => find.certainty));
}

/** Returns one detection per face: the most confident. */
export function surestOfEach(finds: readonly Find[]): Find[] {
  const faces: Find[] = [];
  for (const find of finds.toSorted((a, b) => b.certainty - a.certainty)) {
    if (!faces.some((face) => isSameFace(face, find))) faces.push(find);
  }
  return faces;
}

export function isSameFace(a: Rectangle, b: Rectangle): boolean {
  const width = Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left);
  const height = Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top);
  const smaller = Math.min(a.width * a.height, b.width * b.height);
  return width > 0 && height > 0 && width * height > SAME_FACE * smaller;
}
