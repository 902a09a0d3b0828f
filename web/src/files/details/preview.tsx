import { deliveryUrl } from '../../api/files.ts';
import type { Asset } from '../../api/types.ts';
import { Icon } from '../../components/icon.tsx';
import { ICON_OF } from '../entry.ts';
import { ImagePreview, PREVIEW_WIDTH } from './image-preview.tsx';

/** Preview of an image, a video or audio. */
export function Preview({ asset }: { asset: Asset }) {
  const { kind, path, mtime, name } = asset;
  const original = deliveryUrl(path, '', mtime);
  if (kind === 'image') return <ImagePreview asset={asset} />;
  if (kind === 'video')
    return (
      <video
        className="preview"
        src={original}
        poster={deliveryUrl(path, `t_true,tt_1,w_${PREVIEW_WIDTH},f_webp`, mtime)}
        controls
        preload="none"
        aria-label={name}
      />
    );
  if (kind === 'audio')
    return <audio className="preview-audio" src={original} controls preload="none" aria-label={name} />;
  return (
    <div className="preview is-icon">
      <Icon name={ICON_OF[kind]} size={48} />
    </div>
  );
}
