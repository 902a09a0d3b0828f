import { Comparison } from '../../components/comparison/comparison.tsx';
import { messages } from '../../messages/en.ts';

export type Zoom = 'fit' | 'full';

interface ResultImageProps {
  url: string;
  size: { width: number; height: number };
  /** The side to compare with, in the same geometry. */
  other: string | undefined;
  zoom: Zoom;
  /** Another one is being rendered. */
  isOld: boolean;
}

/** A result, alone or beside the same without loss. */
export function ResultImage({ url, size: { width, height }, other, zoom, isOld }: ResultImageProps) {
  // At 1:1 a pixel of the picture is one of the screen.
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
