import { getImageProps } from 'next/image.js';
import { nextLoader } from '../../../../packages/client/src/next.ts';

// Prints the result of next/image for images. The address of the service is the argument.

const loader = nextLoader({ base: process.argv[2], options: { format: 'webp', quality: 'auto', aspectRatio: '4:3' } });
const picture = { loader, src: '/people/face.jpg', alt: 'A face' };
process.stdout.write(
  JSON.stringify({
    fixed: getImageProps({ ...picture, width: 300, height: 225, quality: 75 }).props,
    filling: getImageProps({ ...picture, fill: true, sizes: '50vw' }).props,
  }),
);
