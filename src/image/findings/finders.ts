import { createPeopleFinder, type PeopleFinder } from '../cutout/find-people.ts';
import { createFaceDetector, type FaceDetector } from '../focus/detect-faces.ts';

/** What looks into pictures, and lives as long as the process. Each is loaded when it is first used. */
export interface Finders {
  faces: FaceDetector;
  people: PeopleFinder;
}

export function createFinders(): Finders {
  return { faces: createFaceDetector(), people: createPeopleFinder() };
}
