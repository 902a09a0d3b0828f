import { type ReactNode, useEffect, useRef, useState } from 'react';
import { deliveryUrl } from '../../api/files.ts';
import type { Asset, Parameter } from '../../api/types.ts';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { messages } from '../../messages/en.ts';
import { type Listing, readSegment, valueIn, withValue } from '../segment.ts';
import { enlargementOf, originalOf } from '../using/bounds.ts';
import { CropBox } from './crop-box.tsx';
import { lockOf, RATIOS, type Ratio, ratioOfResult } from './crop-ratio.ts';
import {
  type Box,
  fitRatio,
  formatPoint,
  formatRegion,
  parsePoint,
  parseRegion,
  type Size,
  WHOLE,
} from './geometry.ts';
import { PointMarker } from './point-marker.tsx';

/** What is set on the image. */
export type Editing = 'crop' | 'point';

interface EditorProps {
  source: Asset;
  /** Typed transformation without presets. */
  segment: string;
  /** The same once nobody types any more: the image follows it. */
  settled: string;
  parameters: readonly Parameter[];
  ratio: Ratio;
  /** Size of the shown image; undefined until it has loaded. */
  size: Size | undefined;
  onSize(size: Size | undefined): void;
  onChange(segment: string): void;
}

/** Parameters that take effect before `rg`; a point is one of the image without them. */
const BEFORE = { crop: ['pg', 'tr', 'a', 't', 'tt'], point: ['pg', 't', 'tt'] };
const SCALED = 'w_1600,c_fit,q_80,f_webp';

/** Image as it is before the crop, with the crop rectangle. */
export function CropEditor(props: EditorProps) {
  const { source, segment, settled, parameters, onChange, ...rest } = props;
  return (
    <Original source={source} segment={segmentBefore('crop', settled, parameters)} {...rest}>
      {(size) => {
        const { box, isWhole, lock } = cropOf({ ...props, size });
        return (
          <CropBox
            box={box}
            isWhole={isWhole}
            lock={lock}
            pixels={pixelsIn(box, pixelsOf(source, size))}
            onChange={(next) => onChange(withValue(segment, 'rg', formatRegion(next), parameters))}
          />
        );
      }}
    </Original>
  );
}

interface Crop {
  box: Box;
  /** True while nothing is cut off: a drag draws a rectangle then. */
  isWhole: boolean;
  lock: number | undefined;
}

/** Crop rectangle. Until one is drawn, it is the largest one with the ratio of the result. */
function cropOf({ source, segment, parameters, ratio, size }: Omit<CropBarProps, 'onChange'> & { size: Size }): Crop {
  const pixels = pixelsOf(source, size) ?? size;
  const region = parseRegion(valueIn(segment, 'rg', parameters) ?? '', pixels);
  const lock = lockOf(ratio, pixels, ratioOfResult(segment, parameters));
  if (region || ratio !== 'result' || lock === undefined)
    return { box: region ?? WHOLE, isWhole: region === undefined, lock };
  return { box: fitRatio(WHOLE, lock), isWhole: false, lock };
}

/** Pixels of the original in a rectangle; undefined if they are not known. */
const pixelsIn = ({ x, y, width, height }: Box, size: Size | undefined): Box | undefined =>
  size && {
    x: Math.round(x * size.width),
    y: Math.round(y * size.height),
    width: Math.round(width * size.width),
    height: Math.round(height * size.height),
  };

/** Upright image with the point that a crop keeps. */
export function PointEditor(props: Omit<EditorProps, 'ratio'>) {
  const { source, segment, settled, parameters, onChange, size, onSize } = props;
  const change = (point: Parameters<typeof formatPoint>[0]) =>
    onChange(withValue(segment, 'g', formatPoint(point), parameters));
  return (
    <Original source={source} segment={segmentBefore('point', settled, parameters)} size={size} onSize={onSize}>
      {() => <PointMarker point={parsePoint(valueIn(segment, 'g', parameters) ?? '')} onChange={change} />}
    </Original>
  );
}

interface CropBarProps extends Pick<EditorProps, 'source' | 'segment' | 'parameters' | 'ratio' | 'onChange'> {
  size: Size | undefined;
}

/** Ratio of the crop rectangle, and its removal. */
export function CropBar({ onRatio, ...props }: CropBarProps & { onRatio(ratio: Ratio): void }) {
  const { segment, parameters, ratio, size, onChange } = props;
  const { crop } = messages.playground;
  const result = ratioOfResult(segment, parameters);
  const choose = (next: Ratio) => {
    onRatio(next);
    if (!size) return;
    const { box, lock } = cropOf({ ...props, ratio: next, size });
    if (lock !== undefined) onChange(withValue(segment, 'rg', formatRegion(fitRatio(box, lock)), parameters));
  };
  return (
    <div className="stage-crop">
      <span className="select">
        <select
          className="input"
          aria-label={crop.ratio}
          value={ratio}
          disabled={size === undefined}
          onChange={({ target }) => choose(target.value as Ratio)}
        >
          {RATIOS.map((one) => (
            <option key={one} value={one} disabled={one === 'result' && result === undefined}>
              {one in crop.ratios ? crop.ratios[one as keyof typeof crop.ratios] : one}
            </option>
          ))}
        </select>
        <Icon name="chevronDown" size={16} />
      </span>
      <Button
        icon="undo"
        isDisabled={valueIn(segment, 'rg', parameters) === undefined}
        onPress={() => onChange(withValue(segment, 'rg', undefined, parameters))}
      >
        {crop.remove}
      </Button>
    </div>
  );
}

/** Size of the crop rectangle in pixels of the original, and a warning where the result is larger. */
export function CropFacts({ listing, ...props }: CropBarProps & { listing: Listing }) {
  const { source, segment, parameters, size, onChange } = props;
  const { crop } = messages.playground;
  const facts = useRef<HTMLDivElement>(null);
  const pixels = size && pixelsIn(cropOf({ ...props, size }).box, pixelsOf(source, size));
  const enlarged = pixels && enlargementOf({ segment, listing, original: originalOf(source) });
  if (!pixels) return null;
  const text = enlarged ? crop.enlarged(pixels, enlarged.result) : crop.selected(pixels);
  return (
    <div ref={facts} tabIndex={-1} className={`crop-facts${enlarged ? ' is-warning' : ''}`}>
      {enlarged && <Icon name="alert" />}
      <span className="number">{text}</span>
      {enlarged && (
        <Button
          onPress={() => {
            // The button disappears.
            facts.current?.focus();
            const sides = Object.entries(enlarged.sides).filter(([, side]) => side !== undefined);
            onChange(sides.reduce((text, [key, side]) => withValue(text, key, String(side), parameters), segment));
          }}
        >
          {crop.shrink(enlarged.sides)}
        </Button>
      )}
      <p className="unseen" role="status">
        {text}, {crop.at(pixels)}
      </p>
    </div>
  );
}

interface OriginalProps extends Pick<EditorProps, 'source' | 'segment' | 'size' | 'onSize'> {
  children(size: Size): ReactNode;
}

/** Image to edit on, which covers the stage. */
function Original({ source, segment, size, onSize, children }: OriginalProps) {
  useEffect(() => () => onSize(undefined), [onSize]);
  const [failed, setFailed] = useState<string>();
  const src = deliveryUrl(source.path, segment, source.mtime);
  const { width, height } = size ?? { width: 1, height: 1 };
  if (failed === src) return <p className="quiet">{messages.playground.cannotEdit}</p>;
  return (
    <div
      className="comparison"
      hidden={size === undefined}
      style={{ width: fittedWidth({ width, height }), aspectRatio: `${width} / ${height}` }}
    >
      <img
        src={src}
        alt={messages.playground.editing}
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
          onSize({ width: naturalWidth, height: naturalHeight })
        }
        onError={() => setFailed(src)}
      />
      {size && children(size)}
    </div>
  );
}

/** CSS width at which an image fits into the stage, however small it is. */
export const fittedWidth = ({ width, height }: Size): string => `min(100cqw, ${(width / height) * 100}cqh)`;

function segmentBefore(editing: Editing, segment: string, parameters: readonly Parameter[]): string {
  const kept = readSegment(segment, parameters).filter(({ key }) => BEFORE[editing].includes(key));
  return [...kept.map(({ text }) => text), SCALED].join(',');
}

/**
 * Pixels of the original in which `rg` counts; undefined if the shown image is of another ratio (trimmed or tilted):
 * then it counts in those of that one.
 */
function pixelsOf({ width, height }: Asset, shown: Size): Size | undefined {
  if (!width || !height) return undefined;
  const isLike = (one: Size) => Math.abs(one.width / one.height - shown.width / shown.height) < 0.02;
  return [
    { width, height },
    { width: height, height: width },
  ].find(isLike);
}
