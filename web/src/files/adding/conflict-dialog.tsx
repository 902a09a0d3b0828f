import { useEffect, useState } from 'react';
import { useCan } from '../../api/access.ts';
import { deliveryUrl, type StoredFile } from '../../api/files.ts';
import type { Existing } from '../../api/uploads/upload.ts';
import { Button } from '../../components/button.tsx';
import { ModalDialog } from '../../components/dialog.tsx';
import { formatBytes, formatMoment } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { thumbnailOf } from '../../components/thumbnails.ts';
import { messages } from '../../messages/en.ts';
import { uploadConflictMessages as texts } from '../../messages/upload-conflict.ts';
import { ICON_OF } from '../entry.ts';
import './conflict.css';

/** A new file, and the stored one that has its name. */
interface Conflict {
  /** Of the new file, including subfolders. */
  name: string;
  file: File;
  stored: StoredFile;
}

/** Rows of the list; further files are counted. */
const MAX_ROWS = 100;
/** Side of the images in pixels of a dense screen. */
const PIXELS = 240;

interface ConflictDialogProps {
  conflicts: readonly Conflict[];
  /** @param choices by the names of the new files */
  onChoose(choices: ReadonlyMap<string, Existing>): void;
  onClose(): void;
}

const NOTHING_CHOSEN: ReadonlyMap<string, Existing> = new Map();

/** Asks what to do with files whose names are taken: all alike, or one after the other. */
export function ConflictDialog({ conflicts, onChoose, onClose }: ConflictDialogProps) {
  const canReplace = useCan('manage');
  const [isSingly, setSingly] = useState(conflicts.length === 1);
  const [choices, setChoices] = useState(NOTHING_CHOSEN);
  const left = conflicts.slice(choices.size);
  const [first] = left;
  const only = isSingly ? first : undefined;
  const choose = (existing: Existing) => {
    const chosen = new Map(choices);
    for (const { name } of only ? [only] : left) chosen.set(name, existing);
    if (chosen.size < conflicts.length) setChoices(chosen);
    else onChoose(chosen);
  };
  return (
    <ModalDialog
      title={only ? texts.title(only.name) : texts.titleOfMany(left.length)}
      text={texts.text(only?.stored.name, canReplace)}
      isOpen
      onClose={onClose}
    >
      {only ? <Comparison key={only.name} {...only} /> : <List conflicts={left} />}
      {isSingly && conflicts.length > 1 && (
        <p className="quiet number" role="status">
          {texts.position(choices.size + 1, conflicts.length)}
        </p>
      )}
      <div className="choices">
        <Button variant="main" wide autoFocus onPress={() => choose('keep both')}>
          {texts.keepBoth}
        </Button>
        {canReplace && (
          <Button wide onPress={() => choose('replace')}>
            {texts.replace}
          </Button>
        )}
        <Button wide onPress={() => choose('skip')}>
          {texts.skip}
        </Button>
        {left.length > 1 && (
          <Button wide onPress={() => setSingly(!isSingly)}>
            {isSingly ? texts.allAlike(left.length) : texts.singly}
          </Button>
        )}
        <Button variant="plain" wide onPress={onClose}>
          {messages.cancel}
        </Button>
      </div>
    </ModalDialog>
  );
}

function Comparison({ file, stored }: Conflict) {
  // Both are compared whole.
  const segment = thumbnailOf({ ...stored, kind: stored.type }, PIXELS, true);
  const source = useObjectUrl(file);
  return (
    <div className="conflict">
      <Side
        title={texts.existing}
        stored={stored}
        source={segment && deliveryUrl(stored.path, segment, stored.mtime)}
        size={stored.size}
        time={stored.mtime}
      />
      <Side title={texts.added} stored={stored} source={source} size={file.size} time={file.lastModified} />
    </div>
  );
}

interface SideProps {
  title: string;
  stored: StoredFile;
  source: string | undefined;
  size: number;
  time: string | number;
}

function Side({ title, stored, source, size, time }: SideProps) {
  const [failed, setFailed] = useState<string>();
  return (
    <section className="conflict-side" aria-label={title}>
      <h3>{title}</h3>
      <div className="conflict-image">
        {source === undefined || source === failed ? (
          <Icon name={ICON_OF[stored.type]} size={30} />
        ) : (
          <img src={source} alt="" onError={() => setFailed(source)} />
        )}
      </div>
      <span className="number">{formatBytes(size)}</span>
      <span className="quiet number">{formatMoment(time)}</span>
    </section>
  );
}

/** URL of a local image while the component is shown. Browsers that cannot decode it report an error. */
function useObjectUrl(file: File): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!file.type.startsWith('image/')) return;
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return url;
}

function List({ conflicts }: { conflicts: readonly Conflict[] }) {
  const more = conflicts.length - MAX_ROWS;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
    <section className="conflict-list" tabIndex={0} aria-label={texts.list}>
      <ul>
        {conflicts.slice(0, MAX_ROWS).map(({ file, stored }) => (
          <li key={stored.path}>
            <span className="conflict-name" title={stored.path}>
              {stored.name}
            </span>
            <span className="quiet number">{texts.sizes(formatBytes(stored.size), formatBytes(file.size))}</span>
          </li>
        ))}
        {more > 0 && <li className="quiet">{messages.uploads.andMore(more)}</li>}
      </ul>
    </section>
  );
}
