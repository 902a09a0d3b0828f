import type { ComponentProps } from 'react';
import { ApiError } from '../api/error.ts';
import type { Asset } from '../api/types.ts';
import { messages } from '../messages/en.ts';
import { ParameterForm } from './controls/fields.tsx';
import { LayersCard } from './layers/layers-card.tsx';
import { Stage } from './preview/stage.tsx';
import { Transcode } from './preview/transcode.tsx';
import { type LocatedProblem, locateProblem } from './problem.ts';
import {
  expandPreset,
  frameOf,
  isFrame,
  type Listing,
  losslessOf,
  parametersOf,
  playlistTypeOf,
  stillOf,
  valueIn,
  withValue,
} from './segment.ts';
import { SegmentBar } from './segment-bar.tsx';
import { usePlaygroundSearch, useSegment } from './use-played.ts';
import { ACCEPTS, usePreview } from './use-preview.ts';
import { UsePanel } from './using/use-panel.tsx';

interface WorkbenchProps {
  source: Asset;
  kind: 'image' | 'video';
  listing: Listing;
}

/** Preview, layers and parameters of a file. */
export function Workbench({ source, kind, listing }: WorkbenchProps) {
  const { typed, settled, setTyped } = useSegment();
  const { plain, isTranscode, accept, main, other } = usePreviews(source.path, settled, { kind, listing });
  const written = expandPreset(typed, listing.presets);
  const parameters = parametersOf(kind, written, listing);
  const problem = problemIn(main.error, { segment: plain, listing, parameters });
  const isAtField = problem?.layer === undefined && parameters.some(({ key }) => key === problem?.key);
  return (
    <>
      <SegmentBar
        typed={typed}
        presets={listing.presets}
        path={source.path}
        problem={isAtField || problem?.layer !== undefined ? undefined : problem?.text}
        onChange={setTyped}
      />
      <div className="play-bench">
        <div className="play-left">
          <Stage source={source} main={main} other={other} isProblemSaid={problem !== undefined} />
          <Results
            source={source}
            listing={listing}
            isTranscode={isTranscode}
            accept={accept}
            plain={plain}
            settled={settled}
            isUnderstood={problem === undefined}
            size={main.preview?.size}
          />
        </div>
        <div className="play-right">
          <LayersCard source={source} segment={written} listing={listing} problem={problem} onChange={setTyped} />
          <section className="card play-form" aria-label={messages.playground.parameters}>
            <ParameterForm
              source={source}
              parameters={parameters}
              problem={isAtField ? problem : undefined}
              partValue={(key) => valueIn(written, key, parameters)}
              onChange={(key, value) => setTyped(withValue(written, key, value, parameters))}
            />
          </section>
        </div>
      </div>
    </>
  );
}

interface ResultsProps extends Pick<WorkbenchProps, 'source' | 'listing'> {
  isTranscode: boolean;
  isUnderstood: boolean;
  /** Transformation of the settled segment. */
  plain: string;
  settled: string;
  size: ComponentProps<typeof UsePanel>['size'];
  accept: string;
}

/** Transcode and embed code. */
function Results({ plain, settled, isUnderstood, ...rest }: ResultsProps) {
  const { source, listing, isTranscode } = rest;
  return (
    <>
      {isTranscode && plain !== '' && isUnderstood && (
        <Transcode
          key={settled}
          source={source}
          segment={inOneFormat(settled, plain, listing)}
          still={stillOf(plain, listing)}
          playlistType={playlistTypeOf(plain, listing)}
        />
      )}
      <UsePanel {...rest} segment={settled} />
    </>
  );
}

/** Negotiated animations are requested as WebP: `fetch` and `<img>` send different `Accept` headers. */
function inOneFormat(settled: string, plain: string, listing: Listing): string {
  const format = valueIn(plain, 'f', listing.video) ?? 'auto';
  const isNegotiated = stillOf(plain, listing) === 'animation' && ['auto', 'best'].includes(format);
  return isNegotiated ? withValue(plain, 'f', 'webp', listing.video) : settled;
}

/** Error in a segment with its location, if the service reports one. */
function problemIn(error: unknown, where: Parameters<typeof locateProblem>[1]): LocatedProblem | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const problem = locateProblem(error.message, where);
  const isOfLayer = problem.layer !== undefined && error.status === 422;
  return isOfLayer || [400, 404].includes(error.status) ? problem : undefined;
}

/** Previews of the result (or a frame of the transcode) and its lossless version. */
function usePreviews(path: string, segment: string, { kind, listing }: Pick<WorkbenchProps, 'kind' | 'listing'>) {
  const [{ accept = 'avif', look }] = usePlaygroundSearch();
  const plain = expandPreset(segment, listing.presets);
  const isTranscode = kind === 'video' && !isFrame(plain, listing);
  const previewed = isTranscode ? frameOf(plain, listing) : segment;
  const main = usePreview(path, previewed, ACCEPTS[accept]);
  const lossless = losslessOf(isTranscode ? previewed : plain, parametersOf(kind, plain, listing));
  const other = usePreview(path, look === 'compare' ? lossless : undefined, ACCEPTS.old);
  return { plain, isTranscode, accept: ACCEPTS[accept], main, other };
}
