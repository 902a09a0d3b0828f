import { type ReactNode, useState } from 'react';
import type { Asset, Parameter } from '../../api/types.ts';
import { Comparison } from '../../components/comparison/comparison.tsx';
import { Icon } from '../../components/icon.tsx';
import { ErrorNotice, Skeleton } from '../../components/states.tsx';
import { messages } from '../../messages/en.ts';
import { Choices } from '../choices.tsx';
import { LayerHandles } from '../layers/layer-handles.tsx';
import type { LocatedProblem } from '../problem.ts';
import type { Listing } from '../segment.ts';
import { usePlaygroundSearch } from '../use-played.ts';
import type { Preview, PreviewState } from '../use-preview.ts';
import type { Ratio } from './crop-ratio.ts';
import { CropBar, CropEditor, CropFacts, PointEditor } from './editor.tsx';
import { Facts } from './facts.tsx';
import { type Film, Player } from './film.tsx';
import type { Size } from './geometry.ts';

type Zoom = 'fit' | 'full';
type View = 'result' | 'compare' | 'crop' | 'point';

const { views, zooms, accepts } = messages.playground;
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
  listing: Listing;
  /** Typed transformation without presets. */
  segment: string;
  /** The same once nobody types any more. */
  settled: string;
  parameters: readonly Parameter[];
  main: PreviewState;
  /** Lossless version to compare with. */
  other: PreviewState;
  /** Undefined for images. */
  film: Film | undefined;
  problem: StageProblem | undefined;
  /** Ratio that the crop rectangle keeps. */
  ratio: Ratio;
  onRatio(ratio: Ratio): void;
  onChange(segment: string): void;
}

/** Error of the transformation. */
export interface StageProblem extends LocatedProblem {
  /** Name of the parameter or layer at which it is shown too; undefined if this is its only place. */
  place: string | undefined;
}

/** Id of the reason over the image. */
export const PROBLEM_ID = 'segment-problem';

/** Views that the file has. */
function viewsOf(film: Film | undefined, parameters: readonly Parameter[]): View[] {
  if (film) return ['result'];
  const has = (key: string) => parameters.some((parameter) => parameter.key === key);
  return ['result', 'compare', ...(has('rg') ? ['crop' as const] : []), ...(has('g') ? ['point' as const] : [])];
}

/** Preview with view options and properties. */
export function Stage(props: StageProps) {
  const { source, main, other, film, problem, parameters } = props;
  const [{ look = 'result' }] = usePlaygroundSearch();
  const [zoom, setZoom] = useState<Zoom>('fit');
  const [size, setSize] = useState<Size>();
  const all = viewsOf(film, parameters);
  const view = all.find((one) => one === look) ?? 'result';
  const failure = (problem ? undefined : main.error) ?? (view === 'compare' ? other.error : undefined);
  return (
    <section className="card stage" aria-label={messages.playground.preview}>
      {!film && <StageBar {...props} all={all} view={view} zoom={zoom} size={size} onZoom={setZoom} />}
      {failure !== undefined && (
        <ErrorNotice error={failure} onRetry={main.error === undefined ? other.retry : main.retry} />
      )}
      <div className="stage-view">
        <Scene {...props} view={view} zoom={zoom} size={size} onSize={setSize} />
        <Facts source={source} preview={main.preview} film={film} />
      </div>
    </section>
  );
}

interface StageBarProps extends StageProps {
  all: readonly View[];
  view: View;
  zoom: Zoom;
  /** Size of the image that is edited; undefined until it has loaded. */
  size: Size | undefined;
  onZoom(zoom: Zoom): void;
}

/** View options; those of a result, or those of the crop rectangle. */
function StageBar({ all, view, zoom, onZoom, ...rest }: StageBarProps) {
  const [, change] = usePlaygroundSearch();
  return (
    <div className="stage-bar">
      <Choices<View>
        label={messages.playground.view}
        value={view}
        options={all.map((one) => [one, views[one]] as const)}
        onChange={(next) => change({ look: next === 'result' ? undefined : next })}
      />
      {view === 'crop' && (
        <>
          <CropBar {...rest} />
          <CropFacts {...rest} />
        </>
      )}
      {(view === 'result' || view === 'compare') && (
        <>
          <Choices<Zoom> label={messages.playground.zoom} value={zoom} options={ZOOMS} onChange={onZoom} />
          <AcceptChoice />
        </>
      )}
    </div>
  );
}

function AcceptChoice() {
  const [{ accept = 'avif' }, change] = usePlaygroundSearch();
  return (
    <Choices
      label={messages.playground.accept}
      value={accept}
      options={ACCEPT_OPTIONS}
      onChange={(next) => change({ accept: next === 'avif' ? undefined : next })}
    />
  );
}

interface SceneProps extends StageProps, Pick<StageBarProps, 'view' | 'zoom' | 'size'> {
  onSize(size: Size | undefined): void;
}

function Scene(props: SceneProps) {
  const { main, view, zoom, problem } = props;
  const isFailed = main.error !== undefined;
  return (
    <div className={`scene-frame${isFailed && view !== 'crop' && view !== 'point' ? ' is-failed' : ''}`}>
      <section
        className={`scene is-${view === 'crop' || view === 'point' ? 'fit' : zoom}`}
        aria-label={messages.playground.stage}
        aria-busy={main.isBusy}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keyboard too.
        tabIndex={0}
      >
        {main.isBusy && <div className="scene-busy" />}
        <SceneContent {...props} />
      </section>
      {problem && <Reason problem={problem} />}
    </div>
  );
}

/** Reason why there is no result. It is announced where it is shown alone. */
function Reason({ problem: { text, place } }: { problem: StageProblem }) {
  return (
    <div className="scene-problem">
      <Icon name="alert" />
      {place === undefined ? (
        <p id={PROBLEM_ID} role="alert">
          {text}
        </p>
      ) : (
        <p>
          <strong>{place}:</strong> {text}
        </p>
      )}
    </div>
  );
}

function SceneContent(props: SceneProps) {
  const { source, main, other, film, view, zoom } = props;
  const { preview, error, isBusy } = main;
  if (view === 'crop') return <CropEditor {...props} />;
  if (view === 'point') return <PointEditor {...props} />;
  if (film) return <Player film={film} source={source} preview={preview} />;
  if (preview === undefined) return error === undefined ? <Skeleton height="100%" /> : null;
  if (preview.facts !== undefined) return <pre className="scene-facts">{preview.facts}</pre>;
  if (preview.size === undefined) {
    const { undecodable } = messages.files;
    return (
      <p className="quiet">{source.problem ? `${undecodable} ${source.problem}` : messages.playground.cannotShow}</p>
    );
  }
  const before = view === 'compare' ? other.preview?.url : undefined;
  return (
    <ResultImage url={preview.url} size={preview.size} other={before} zoom={zoom} isOld={isBusy}>
      {view === 'result' && error === undefined && (
        <LayerHandles segment={props.segment} size={preview.size} listing={props.listing} onChange={props.onChange} />
      )}
    </ResultImage>
  );
}

interface ResultImageProps {
  url: string;
  size: NonNullable<Preview['size']>;
  /** Object URL of the image to compare with, in the same geometry. */
  other: string | undefined;
  zoom: Zoom;
  /** True while a newer one renders. */
  isOld: boolean;
  children: ReactNode;
}

/** Result, alone or compared with its lossless version. */
function ResultImage({ url, size: { width, height }, other, zoom, isOld, children }: ResultImageProps) {
  // At 1:1 an image pixel is a screen pixel.
  const full = width / (globalThis.devicePixelRatio || 1);
  const { result, before, after, divider } = messages.playground;
  return (
    <Comparison
      after={{ url, alt: result, label: after }}
      before={other === undefined ? undefined : { url: other, alt: before, label: before }}
      divider={divider}
      width={zoom === 'full' ? `${full}px` : `min(100cqw, ${width}px, ${(width / height) * 100}cqh)`}
      ratio={[width, height]}
      isOld={isOld}
    >
      {children}
    </Comparison>
  );
}
