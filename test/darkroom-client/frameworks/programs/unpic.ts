import { transformBaseImageProps } from '@unpic/core/base';
import { createExtractAndGenerate } from 'unpic/utils';
import { extract, generate, transform } from '../../../../packages/client/src/unpic.ts';

// Prints the result of unpic for images. The address of the service is the argument.

const [, , base] = process.argv;
const props = (layout: 'constrained' | 'fullWidth') =>
  transformBaseImageProps({
    src: 'people/face.jpg',
    layout,
    width: 300,
    height: 200,
    transformer: transform,
    options: { base },
    operations: { format: 'webp', gravity: 'face' },
  });
const address = `${base}/t/w_400,h_300,f_webp,q_80/people/face.jpg`;
process.stdout.write(
  JSON.stringify({
    constrained: props('constrained'),
    whole: props('fullWidth'),
    read: extract(address),
    // Composed like unpic's own providers.
    changed: createExtractAndGenerate(extract, generate)(address, { width: 200, height: 100 }),
    transformed: transform(address, { width: 200, height: 100 }),
  }),
);
