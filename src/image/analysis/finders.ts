import { createFaceDetector, type FaceDetector } from '@darkroom/faces/detect-faces';
import { createPeopleFinder, type PeopleFinder } from '../cutout/find-people.ts';

/** Detectors of the process. Each is loaded when it is first used. */
export interface Finders {
  faces: FaceDetector;
  people: PeopleFinder;
}

export function createFinders(): Finders {
  return { faces: createFaceDetector(), people: createPeopleFinder() };
}
