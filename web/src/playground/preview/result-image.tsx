import { Comparison } from '../../components/comparison/comparison.tsx';
import { messages } from '../../messages/en.ts';

export type Zoom = 'fit' | 'full';

interface ResultImageProps {
  url: string;
  size: { width: number; height: number };
  /** Object URL of the image to compare with, in the same geometry. */
  other: string | undefined;
  zoom: Zoom;
  /** True while a newer one renders. */
  isOld: boolean;
}

/** Result, alone or compared with its lossless version. */
export function ResultImage({ url, size: { width, height }, other, zoom, isOld }: ResultImageProps) {
  // At 1:1 an image pixel is a screen pixel.
  const full = width / (globalThis.devicePixelRatio || 1);
  const { result, before, after, divider } = messages.playground;
  return (
    <Comparison
      after={{ url, alt: result, label: after }}
      before={other === undefined ? undefined : { url: other, alt: before, label: before }}
      divider={divider}
      width={zoom === 'full' ? `${full}px` : `min(100%, ${width}px, ${(width / height) * 62}dvh)`}
      ratio={[width, height]}
      isOld={isOld}
    />
  );
}
