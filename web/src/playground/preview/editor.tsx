import { type ReactNode, useEffect, useState } from 'react';
import { deliveryUrl } from '../../api/files.ts';
import type { Asset, Parameter } from '../../api/types.ts';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { messages } from '../../messages/en.ts';
import { readSegment, valueIn, withValue } from '../segment.ts';
import { CropBox } from './crop-box.tsx';
import { fitRatio, formatPoint, formatRegion, parsePoint, parseRegion, type Size, WHOLE } from './geometry.ts';
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

/** Ratio that the crop rectangle keeps. */
export type Ratio = 'free' | 'original' | `${number}:${number}`;
const RATIOS: readonly Ratio[] = ['free', 'original', '1:1', '4:3', '3:2', '16:9', '4:5', '9:16'];

/** Parameters that take effect before `rg`; a point is one of the image without them. */
const BEFORE = { crop: ['pg', 'tr', 'a', 't', 'tt'], point: ['pg', 't', 'tt'] };
const SCALED = 'w_1600,c_fit,q_80,f_webp';

/** Image as it is before the crop, with the crop rectangle. */
export function CropEditor({ source, segment, settled, parameters, ratio, onChange, ...rest }: EditorProps) {
  return (
    <Original source={source} segment={segmentBefore('crop', settled, parameters)} {...rest}>
      {(size) => {
        const value = valueIn(segment, 'rg', parameters) ?? '';
        const region = parseRegion(value, pixelsOf(source, size));
        return (
          <CropBox
            box={region ?? WHOLE}
            isWhole={region === undefined}
            lock={lockOf(ratio, size)}
            onChange={(box) => onChange(withValue(segment, 'rg', formatRegion(box), parameters))}
          />
        );
      }}
    </Original>
  );
}

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

interface CropBarProps extends Omit<EditorProps, 'settled' | 'onSize'> {
  onRatio(ratio: Ratio): void;
}

/** Ratio of the crop rectangle, and its removal. */
export function CropBar({ source, segment, parameters, ratio, size, onRatio, onChange }: CropBarProps) {
  const { crop } = messages.playground;
  const region = valueIn(segment, 'rg', parameters) ?? '';
  const choose = (next: Ratio) => {
    onRatio(next);
    if (size === undefined) return;
    const lock = lockOf(next, size);
    if (lock === undefined) return;
    const box = fitRatio(parseRegion(region, pixelsOf(source, size)) ?? WHOLE, lock);
    onChange(withValue(segment, 'rg', formatRegion(box), parameters));
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
            <option key={one} value={one}>
              {one === 'free' || one === 'original' ? crop.ratios[one] : one}
            </option>
          ))}
        </select>
        <Icon name="chevronDown" size={16} />
      </span>
      <Button
        icon="undo"
        isDisabled={region === ''}
        onPress={() => onChange(withValue(segment, 'rg', undefined, parameters))}
      >
        {crop.remove}
      </Button>
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

/** Pixels in which `rg` counts: those of the file, unless the shown image is of another ratio (trimmed or tilted). */
function pixelsOf({ width, height }: Asset, shown: Size): Size {
  if (!width || !height) return shown;
  const isLike = (one: Size) => Math.abs(one.width / one.height - shown.width / shown.height) < 0.02;
  return (
    [
      { width, height },
      { width: height, height: width },
    ].find(isLike) ?? shown
  );
}

/** Width through height of a ratio in fractions of the image. */
function lockOf(ratio: Ratio, { width, height }: Size): number | undefined {
  if (ratio === 'free') return undefined;
  if (ratio === 'original') return 1;
  const [w = 1, h = 1] = ratio.split(':').map(Number);
  return ((w / h) * height) / width;
}
