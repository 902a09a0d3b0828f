export interface Point {
  left: number;
  top: number;
}

export interface Rectangle extends Point {
  width: number;
  height: number;
}

/** A possible face, in pixels of the analysed image. */
export interface Detection extends Rectangle {
  /** Confidence; its scale depends on the detector. */
  confidence: number;
}

/** Two detections that share this much of the smaller one are one face. */
const SAME_FACE = 0.3;

/** Returns the highest confidence; 0 without detections. */
export function highestConfidence(detections: readonly Detection[]): number {
  return Math.max(0, ...detections.map((detection) => detection.confidence));
}

/** Returns one detection per face: the most confident. */
export function mostConfidentOfEach(detections: readonly Detection[]): Detection[] {
  const faces: Detection[] = [];
  for (const detection of detections.toSorted((a, b) => b.confidence - a.confidence)) {
    if (!faces.some((face) => isSameFace(face, detection))) faces.push(detection);
  }
  return faces;
}

export function isSameFace(a: Rectangle, b: Rectangle): boolean {
  const width = Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left);
  const height = Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top);
  const smaller = Math.min(a.width * a.height, b.width * b.height);
  return width > 0 && height > 0 && width * height > SAME_FACE * smaller;
}
