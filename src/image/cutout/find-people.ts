import { loadNet, loadOpenCv, type Net, type OpenCv } from '@darkroom/faces/opencv';
import { FinderUnavailable } from '../failure.ts';
import type { Guide } from './guided-filter.ts';

/** Side of the input and the output of the model. */
export const MODEL_SIDE = 256;

const MODEL = new URL('./selfie_segmentation.tflite', import.meta.url);

export type PeopleFinder = ReturnType<typeof createPeopleFinder>;

interface Engine {
  cv: OpenCv;
  net: Net;
}

/** Creates a finder that loads OpenCV and its model when it is first used. It lives as long as the process. */
export function createPeopleFinder(model = MODEL) {
  let engine: Promise<Engine> | undefined;
  return {
    /**
     * Returns the probability of each pixel to belong to a person, 0 to 1.
     * @param image of MODEL_SIDE on both sides
     * @throws FinderUnavailable
     */
    async find(image: Guide): Promise<Float32Array> {
      engine ??= startEngine(model);
      try {
        return look(await engine, image);
      } catch (error) {
        // OpenCV throws bare numbers.
        const reason = error instanceof Error ? error.message : `OpenCV error ${error}`;
        throw new FinderUnavailable(`People cannot be found: ${reason}`, { cause: error });
      }
    },
  };
}

async function startEngine(model: URL): Promise<Engine> {
  const { cv } = await loadOpenCv();
  return { cv, net: await loadNet(cv, model) };
}

function look({ cv, net }: Engine, { data, width, height }: Guide): Float32Array {
  const image = cv.matFromArray(height, width, cv.CV_8UC3, data);
  const size = new cv.Size(width, height);
  const input = cv.blobFromImage(image, 1 / 255, size, new cv.Scalar(0, 0, 0), false, false, cv.CV_32F);
  image.delete();
  try {
    net.setInput(input);
    const output = net.forward();
    const likely = output.data32F.slice();
    output.delete();
    return likely;
  } finally {
    input.delete();
  }
}
