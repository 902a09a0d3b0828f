import { deliveryUrl } from '../../api/files.ts';
import type { Asset } from '../../api/types.ts';
import { formatSeconds } from '../../components/format.ts';
import { messages } from '../../messages/en.ts';
import type { ControlProps } from './shape.ts';

const FRAMES = 6;

/** Time slider over frames of the video. */
export function Timeline({ title, value, source, onChange }: ControlProps & { source: Asset }) {
  const duration = source.duration ?? 0;
  const at = Math.min(duration, Number(value) || 0);
  return (
    <div className="control-timeline">
      <div className="timeline">
        {Array.from({ length: FRAMES }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a frame is its position.
          <img key={index} src={frameUrl(source, (duration * (index + 0.5)) / FRAMES)} alt="" loading="lazy" />
        ))}
        <input
          type="range"
          aria-label={messages.playground.slider(title)}
          aria-valuetext={value === '' ? messages.playground.noDefault : formatSeconds(at)}
          min={0}
          max={Math.floor(duration * 100) / 100}
          step={0.01}
          value={at}
          data-unset={value === '' || undefined}
          onChange={({ target }) => onChange(target.value)}
        />
      </div>
      <span className="control-digits">
        <input
          className="input"
          type="number"
          aria-label={title}
          placeholder="–"
          min={0}
          step="any"
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
        <span className="control-unit">{messages.playground.units.seconds}</span>
      </span>
    </div>
  );
}

function frameUrl({ path, mtime }: Asset, time: number): string {
  const segment = `w_96,h_72,c_fill,q_60,f_webp,t_true,tt_${Number(time.toFixed(2))}`;
  return deliveryUrl(path, segment, mtime);
}
