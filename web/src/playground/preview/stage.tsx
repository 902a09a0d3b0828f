import { useState } from 'react';
import type { Asset } from '../../api/types.ts';
import { Comparison } from '../../components/comparison/comparison.tsx';
import { ErrorNotice, Skeleton } from '../../components/states.tsx';
import { messages } from '../../messages/en.ts';
import { Choices } from '../choices.tsx';
import { usePlaygroundSearch } from '../use-played.ts';
import type { Preview, PreviewState } from '../use-preview.ts';
import { Facts } from './facts.tsx';

type Zoom = 'fit' | 'full';

const { views, zooms, accepts } = messages.playground;
const VIEWS = [
  ['result', views.result],
  ['compare', views.compare],
] as const;
const ZOOMS = [
  ['fit', zooms.fit],
  ['full', zooms.full],
] as const;
const ACCEPT_OPTIONS = [
  ['avif', accepts.avif],
  ['webp', accepts.webp],
  ['old', accepts.old],
] as const;

interface StageProps {
  source: Asset;
  main: PreviewState;
  /** Lossless version to compare with. */
  other: PreviewState;
  /** True if the error is shown at its field. */
  isProblemSaid: boolean;
}

/** Preview with view options and properties. */
export function Stage({ source, main, other, isProblemSaid }: StageProps) {
  const [{ accept = 'avif', look = 'result' }, change] = usePlaygroundSearch();
  const [zoom, setZoom] = useState<Zoom>('fit');
  const problem = (isProblemSaid ? undefined : main.error) ?? (look === 'compare' ? other.error : undefined);
  return (
    <section className="card stage" aria-label={messages.playground.preview}>
      <div className="stage-bar">
        <Choices
          label={messages.playground.view}
          value={look}
          options={VIEWS}
          onChange={(next) => change({ look: next === 'compare' ? next : undefined })}
        />
        <Choices<Zoom> label={messages.playground.zoom} value={zoom} options={ZOOMS} onChange={setZoom} />
        <Choices
          label={messages.playground.accept}
          value={accept}
          options={ACCEPT_OPTIONS}
          onChange={(next) => change({ accept: next === 'avif' ? undefined : next })}
        />
      </div>
      {problem !== undefined && (
        <ErrorNotice error={problem} onRetry={main.error === undefined ? other.retry : main.retry} />
      )}
      <Scene main={main} other={look === 'compare' ? other.preview : undefined} zoom={zoom} />
      <Facts source={source} preview={main.preview} />
    </section>
  );
}

function Scene({ main: { preview, isBusy, error }, other, zoom }: { main: PreviewState; other?: Preview; zoom: Zoom }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keyboard too.
    <section className={`scene is-${zoom}`} aria-label={messages.playground.stage} aria-busy={isBusy} tabIndex={0}>
      {isBusy && <div className="scene-busy" />}
      {preview === undefined && error === undefined && <Skeleton height={360} />}
      {preview?.facts !== undefined && <pre className="scene-facts">{preview.facts}</pre>}
      {preview !== undefined && preview.size === undefined && preview.facts === undefined && (
        <p className="quiet">{messages.playground.cannotShow}</p>
      )}
      {preview?.size && (
        <ResultImage url={preview.url} size={preview.size} other={other?.url} zoom={zoom} isOld={isBusy} />
      )}
    </section>
  );
}

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
function ResultImage({ url, size: { width, height }, other, zoom, isOld }: ResultImageProps) {
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
