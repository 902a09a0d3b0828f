import { uploadQueue } from './uploads/uploads.ts';

/** Files of `web/public/samples`, whose licences are next to them. */
const SAMPLES = ['animation.gif', 'logo.png', 'mountains.jpg', 'portrait.jpg', 'workshop.jpg'];

/** Bytes of all samples. */
export const SAMPLE_BYTES = 278_333;

/** Uploads the sample pictures, which are part of the dashboard. @throws Error if one cannot be loaded */
export async function addSamples(): Promise<void> {
  const files = await Promise.all(SAMPLES.map(readSample));
  uploadQueue.add(files.map((file) => ({ file, folder: 'samples', name: file.name, replaces: false })));
}

async function readSample(name: string): Promise<File> {
  const response = await fetch(new URL(`samples/${name}`, document.baseURI));
  if (!response.ok) throw new Error(`The sample ${name} has the status ${response.status}.`);
  const bytes = await response.blob();
  return new File([bytes], name, { type: bytes.type });
}
