import type { ReactNode } from 'react';
import { useRootName } from '../../api/access.ts';
import { folderOf } from '../../api/paths.ts';
import type { Asset } from '../../api/types.ts';
import { formatBytes, formatMoment, formatSeconds } from '../../components/format.ts';
import { messages } from '../../messages/en.ts';

/** Technical properties of a file. */
export function Facts({ asset }: { asset: Asset }) {
  const { width, height, duration, takenAt, camera } = asset;
  const { fact } = messages.details;
  const root = useRootName();
  const rows: readonly [string, ReactNode][] = [
    [fact.type, asset.type],
    [fact.size, formatBytes(asset.size)],
    [fact.pixels, width && height && `${width} × ${height}`],
    [fact.duration, duration !== null && formatSeconds(duration)],
    [fact.codec, asset.codec],
    [fact.folder, folderOf(asset.path) || root],
    [fact.changed, formatMoment(asset.mtime)],
    [fact.taken, takenAt && formatMoment(takenAt)],
    [fact.camera, camera],
    [fact.location, asset.hasGps && messages.details.hasLocation],
    [fact.colours, asset.palette.length > 0 && <Palette colours={asset.palette} />],
    [fact.sha256, asset.sha256 && <code className="facts-hash">{asset.sha256}</code>],
  ];
  return (
    <section className="details-section" aria-label={messages.details.facts}>
      <h3>{messages.details.facts}</h3>
      <dl className="facts">
        {rows
          .filter(([, value]) => value)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd className="number">{value}</dd>
            </div>
          ))}
      </dl>
    </section>
  );
}

function Palette({ colours }: { colours: readonly string[] }) {
  return (
    <span className="palette">
      {colours.map((colour) => (
        <span key={colour} style={{ background: colour }} title={colour} />
      ))}
    </span>
  );
}
