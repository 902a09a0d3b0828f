import { ApiError } from '../api/error.ts';
import { deliveryUrl } from '../api/files.ts';
import type { Asset, Parameter } from '../api/types.ts';
import { messages } from '../messages/en.ts';
import { type FieldsProps, ParameterForm } from './controls/fields.tsx';
import { titleOf } from './controls/groups.ts';
import { LayersCard } from './layers/layers-card.tsx';
import { useCropRatio } from './preview/crop-ratio.ts';
import type { Film } from './preview/film.tsx';
import { PROBLEM_ID, Stage, type StageProblem } from './preview/stage.tsx';
import { isPlayable, Transcode, type TranscodeState, useTranscode } from './preview/transcode.tsx';
import { type LocatedProblem, locateProblem } from './problem.ts';
import {
  expandPreset,
  frameOf,
  isAudioOnly,
  isFrame,
  type Listing,
  losslessOf,
  parametersOf,
  playlistTypeOf,
  type Still,
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

/** Preview and code, which stay in view, next to the controls. */
export function Workbench({ source, kind, listing }: WorkbenchProps) {
  const { typed, settled, setTyped } = useSegment();
  const { plain, isTranscode, accept, main, other } = usePreviews(source.path, settled, { kind, listing });
  const encoded = isTranscode ? inOneFormat(settled, plain, listing) : settled;
  const transcode = useTranscode(source.path, encoded);
  const written = expandPreset(typed, listing.presets);
  const parameters = parametersOf(kind, written, listing);
  const problem = problemIn(main.error, { segment: plain, listing, parameters });
  const place = placeOf(problem, parameters);
  const crop = useCropRatio(source, written, parameters);
  const film = isTranscode ? filmOf(source, { segment: encoded, plain, listing, transcode }) : undefined;
  return (
    <div className="play-bench">
      <div className="play-left">
        <SegmentBar
          typed={typed}
          presets={listing.presets}
          parameters={parameters}
          path={source.path}
          problemId={problem && place === undefined ? PROBLEM_ID : undefined}
          onChange={setTyped}
        />
        <Stage
          source={source}
          listing={listing}
          segment={written}
          settled={plain}
          parameters={parameters}
          main={main}
          other={other}
          film={film}
          problem={problem && { ...problem, place }}
          ratio={crop.ratio}
          onRatio={crop.choose}
          onChange={setTyped}
        />
        {film && plain !== '' && problem === undefined && (
          <Transcode
            source={source}
            segment={encoded}
            state={transcode}
            still={stillOf(plain, listing)}
            playlistType={playlistTypeOf(plain, listing)}
          />
        )}
        <UsePanel
          source={source}
          listing={listing}
          segment={settled}
          isTranscode={isTranscode}
          isBroken={main.error !== undefined}
          accept={accept}
          size={main.preview?.size}
        />
      </div>
      <Controls
        source={source}
        listing={listing}
        segment={written}
        parameters={parameters}
        problem={problem && { ...problem, place }}
        onChange={(next) => setTyped(crop.follow(next))}
      />
    </div>
  );
}

interface ControlsProps extends Pick<WorkbenchProps, 'source' | 'listing'> {
  /** Typed transformation without presets. */
  segment: string;
  parameters: readonly Parameter[];
  problem: StageProblem | undefined;
  onChange(segment: string): void;
}

/** Controls in groups; layers come before the advanced ones. */
function Controls({ source, listing, segment, parameters, problem, onChange }: ControlsProps) {
  const isOfLayer = problem?.layer !== undefined;
  const form: FieldsProps = {
    source,
    parameters,
    problem: isOfLayer ? undefined : problem,
    partValue: (key) => valueIn(segment, key, parameters),
    onChange: (key, value) => onChange(withValue(segment, key, value, parameters)),
  };
  return (
    <div className="play-right">
      <section className="card play-form" aria-label={messages.playground.parameters}>
        <ParameterForm {...form} only={(name) => name !== 'advanced'} />
      </section>
      <LayersCard source={source} segment={segment} listing={listing} problem={problem} onChange={onChange} />
      <section className="card play-form" aria-label={messages.playground.groups.advanced}>
        <ParameterForm {...form} only={(name) => name === 'advanced'} />
      </section>
    </div>
  );
}

interface Encoded {
  segment: string;
  /** Transformation of the settled segment. */
  plain: string;
  listing: Listing;
  transcode: TranscodeState;
}

/** Video on the stage: the transcode once it is ready and the browser plays it, else the original. */
function filmOf(source: Asset, { segment, plain, listing, transcode }: Encoded): Film {
  const { job } = transcode;
  const isOriginal = plain === '';
  const isReady = job?.status === 'completed';
  const isTranscoded = isReady && isPlayable(stillOf(plain, listing), playlistTypeOf(plain, listing));
  return {
    url: deliveryUrl(source.path, isTranscoded ? segment : ''),
    isTranscoded,
    isOriginal,
    isVideo: stillOf(plain, listing) === undefined && !isAudioOnly(plain, listing),
    format: formatOf(segment, listing),
    bytes: isOriginal ? source.size : isReady ? job.size : undefined,
  };
}

/** Formats that results have without a parameter. */
const DEFAULT_FORMATS: Readonly<Record<Still, string>> = {
  animation: 'webp',
  sheet: 'jpeg',
  cues: 'vtt',
  waveform: 'png',
};

/** Format of the result of a job; undefined if the service chooses it. */
function formatOf(segment: string, listing: Listing): string | undefined {
  const named = valueIn(segment, 'f', listing.video);
  if (named !== undefined) return ['auto', 'best'].includes(named) ? undefined : named;
  if (isAudioOnly(segment, listing)) return valueIn(segment, 'au', listing.video);
  const still = stillOf(segment, listing);
  return still === undefined ? 'mp4' : DEFAULT_FORMATS[still];
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

/** Name of the control at which an error is shown; undefined if there is none. */
function placeOf(problem: LocatedProblem | undefined, parameters: readonly Parameter[]): string | undefined {
  if (problem?.layer !== undefined) return messages.layers.place(problem.layer + 1);
  const parameter = problem && parameters.find(({ key }) => key === problem.key);
  return parameter && titleOf(parameter.name);
}

/** Previews of the result (or a frame of the transcode) and its lossless version. */
function usePreviews(path: string, segment: string, { kind, listing }: Pick<WorkbenchProps, 'kind' | 'listing'>) {
  const [{ accept = 'avif', look }] = usePlaygroundSearch();
  const plain = expandPreset(segment, listing.presets);
  const isTranscode = kind === 'video' && !isFrame(plain, listing);
  const previewed = isTranscode ? frameOf(plain, listing) : segment;
  const main = usePreview(path, previewed, ACCEPTS[accept]);
  const lossless = losslessOf(plain, parametersOf(kind, plain, listing));
  const other = usePreview(path, look === 'compare' && !isTranscode ? lossless : undefined, ACCEPTS.old);
  return { plain, isTranscode, accept: ACCEPTS[accept], main, other };
}
