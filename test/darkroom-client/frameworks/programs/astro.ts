import service from '../../../../packages/client/src/astro.ts';
import { getImage } from '../node_modules/astro/dist/assets/internal.js';

// Prints the result of Astro's getImage for images. The address of the service is the argument.

Object.assign(globalThis, { astroAsset: { imageService: service } });
const options = { quality: 'auto' };
const config = { service: { entrypoint: 'darkroom-client/astro', config: { base: process.argv[2], options } } };
const shown = async (transform: Record<string, unknown>) => {
  const { src, srcSet, attributes } = await getImage({ src: 'people/face.jpg', alt: 'A face', ...transform }, config);
  return { src, srcset: srcSet.attribute, attributes };
};
const imported = { src: '/_astro/icon.abc.png', width: 64, height: 64, format: 'png' };
process.stdout.write(
  JSON.stringify({
    dense: await shown({ width: 200, height: 150.4, densities: [1, '1.5x', 2], format: 'webp' }),
    wide: await shown({
      width: 400,
      height: 300,
      widths: [200, 400],
      fit: 'cover',
      position: 'top right',
      quality: 'mid',
    }),
    laidOut: await shown({ width: 300, height: 200, layout: 'constrained' }),
    own: await shown({ width: 200, position: '30% 70%', height: 200, darkroom: { gravity: 'face', radius: 20 } }),
    imported: await shown({ src: imported, width: 64, height: 64 }),
  }),
);
