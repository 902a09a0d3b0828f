import { useEffect, useState } from 'react';
import { useCan } from '../../api/access.ts';
import type { Asset } from '../../api/types.ts';
import { presentBytes, type Version, versionBytes, versionUrl } from '../../api/versions.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Comparison } from '../../components/comparison/comparison.tsx';
import { type Decoded, decode } from '../../components/comparison/decoded.ts';
import { ModalDialog } from '../../components/dialog.tsx';
import { formatBytes, formatMoment } from '../../components/format.ts';
import { ErrorNotice, Skeleton } from '../../components/states.tsx';
import { messages } from '../../messages/en.ts';
import { versionsMessages } from '../../messages/versions.ts';
import { restore } from './restore.ts';

interface CompareDialogProps {
  asset: Asset;
  version: Version;
  onClose(): void;
}

/** Compares a version with the current content, in the same geometry. */
export function CompareDialog({ asset, version, onClose }: CompareDialogProps) {
  const { path } = asset;
  const canManage = useCan('manage');
  const { pair, error } = usePair(asset, version);
  const restoreAndClose = () => {
    void restore(path, version.id);
    onClose();
  };
  return (
    <ModalDialog
      title={versionsMessages.compareTitle}
      text={<Lines asset={asset} version={version} />}
      isOpen
      onClose={onClose}
    >
      <div className="compare">
        {error !== undefined && <ErrorNotice error={error} />}
        {!pair && error === undefined && <Skeleton height="min(52dvh, 560px)" />}
        {pair && <Pair {...pair} />}
      </div>
      <div className="dialog-actions">
        <Button onPress={onClose}>{messages.close}</Button>
        <ButtonLink icon="download" href={versionUrl(path, version.id)}>
          {versionsMessages.download}
        </ButtonLink>
        {canManage && (
          <Button variant="main" icon="undo" onPress={restoreAndClose}>
            {versionsMessages.restore}
          </Button>
        )}
      </div>
    </ModalDialog>
  );
}

function Lines({ asset, version }: { asset: Asset; version: Version }) {
  const lines = [
    [versionsMessages.before, versionsMessages.replaced(formatMoment(version.createdAt)), version],
    [versionsMessages.now, formatMoment(asset.mtime), asset],
  ] as const;
  return (
    <dl className="compare-facts">
      {lines.map(([name, when, { size, width, height }]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="number">
            {[when, formatBytes(size), width && height && `${width} × ${height}`].filter(Boolean).join(' · ')}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface Sides {
  before: Decoded;
  now: Decoded;
}

function Pair({ before, now }: Sides) {
  if (!before.size || !now.size) return <p className="quiet">{versionsMessages.cannotShow}</p>;
  const { width, height } = now.size;
  const most = Math.max(width, before.size.width);
  return (
    <Comparison
      before={{ url: before.url, alt: versionsMessages.before, label: versionsMessages.before }}
      after={{ url: now.url, alt: versionsMessages.now, label: versionsMessages.now }}
      divider={versionsMessages.divider}
      width={`min(100%, ${most}px, ${(width / height) * 56}dvh)`}
      ratio={[width, height]}
    />
  );
}

/** Both images as stored. */
function usePair({ path, type }: Asset, { id }: Version): { pair?: Sides; error?: unknown } {
  const [state, setState] = useState<{ pair?: Sides; error?: unknown }>({});
  useEffect(() => {
    const leaving = new AbortController();
    const urls: string[] = [];
    const show = async (bytes: Promise<Blob>) => {
      const decoded = await decode(await bytes);
      urls.push(decoded.url);
      if (leaving.signal.aborted) URL.revokeObjectURL(decoded.url);
      return decoded;
    };
    Promise.all([show(versionBytes(path, id, leaving.signal)), show(presentBytes(path, type, leaving.signal))]).then(
      ([before, now]) => leaving.signal.aborted || setState({ pair: { before, now } }),
      (error) => leaving.signal.aborted || setState({ error }),
    );
    return () => {
      leaving.abort();
      for (const url of urls) URL.revokeObjectURL(url);
    };
  }, [path, type, id]);
  return state;
}
