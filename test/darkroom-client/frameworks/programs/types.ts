import type { ImageProvider } from '@nuxt/image';
import { transformBaseImageProps } from '@unpic/core/base';
import type { ExternalImageService } from 'astro';
import type { ImageLoader } from 'next/image';
import service from '../../../../packages/client/src/astro.ts';
import { nextLoader } from '../../../../packages/client/src/next.ts';
import provider from '../../../../packages/client/src/nuxt.ts';
import { transform } from '../../../../packages/client/src/unpic.ts';

// Never run: checks that the loaders have the types that frameworks require.

export const next: ImageLoader = nextLoader({ base: '' });
export const nuxt: () => ImageProvider<Record<string, unknown>> = provider;
export const astro: ExternalImageService = service;
export const unpic = transformBaseImageProps({
  src: 'a.jpg',
  layout: 'constrained',
  width: 3,
  height: 2,
  transformer: transform,
  options: { base: '' },
  operations: { gravity: 'face', layers: [{ text: 'Hello' }] },
});
