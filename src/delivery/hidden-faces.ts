import { badRequest } from '../errors.ts';
import { baseOf } from '../image/layers/segment.ts';
import { type ImageOptions, imageSteps } from '../image/steps/index.ts';
import { quote } from '../path.ts';

const NAMES = ['blurFaces', 'pixelateFaces'] as const;
const KEYS = imageSteps.filter(({ name }) => NAMES.some((hiding) => hiding === name)).map(({ key }) => key);

/** True if the faces in an image must not be shown. */
export function hidesFaces(options: ImageOptions): boolean {
  return NAMES.some((name) => options[name] !== undefined);
}

/**
 * Rejects hidden faces where no image is rendered: other effects have no effect there, but faces would be shown.
 * @param segment of a result without face detection
 * @throws HttpProblem 400
 */
export function refuseHiding(segment: string): void {
  const parts = baseOf(segment).split(',');
  const hiding = parts.find((part) => KEYS.some((key) => part === key || part.startsWith(`${key}:`)));
  if (hiding === undefined) return;
  const message = `Faces can be hidden in images and single frames of videos (t_true), not in videos: received ${quote(hiding)}.`;
  throw badRequest(message, 'untransformable');
}
