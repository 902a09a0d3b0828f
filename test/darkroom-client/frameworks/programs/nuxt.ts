import provider from '../../../../packages/client/src/nuxt.ts';
// The runtime used by its components, which has no entry point of its own.
import { createImage } from '../node_modules/@nuxt/image/dist/runtime/image.js';

// Prints the result of @nuxt/image for images. The address of the service is the argument.

const $img = createImage({
  provider: 'darkroom',
  providers: { darkroom: { setup: provider, defaults: { baseURL: process.argv[2], modifiers: { format: 'webp' } } } },
  presets: { avatar: { modifiers: { width: 80, height: 80, fit: 'cover', gravity: 'face', radius: 'max' } } },
  screens: { sm: 640, md: 768 },
  densities: [1, 2],
  alias: {},
  domains: [],
});
const padded = { width: '320px', height: 300, fit: 'contain', background: '#336699', quality: '70' };
process.stdout.write(
  JSON.stringify({
    sizes: $img.getSizes('people/face.jpg', { sizes: '100px sm:50vw', modifiers: { quality: 70 } }),
    padded: $img('/people/face.jpg', padded),
    avatar: $img.avatar('people/face.jpg'),
  }),
);
