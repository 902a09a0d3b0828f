export { type Img, img, picture, type Shown, type Source } from './image.ts';
export type { Colour, Layer, Options, PictureLayer, TextLayer } from './options.ts';
export { transformation, url } from './url.ts';
