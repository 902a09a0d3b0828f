import { useState } from 'react';
import { filesChanged } from '../api/batch.ts';
import { countOf, deleteTag, renameTag, type Tag, useExistingTags } from '../api/tags.ts';
import { Confirm } from '../components/dialog.tsx';
import { TextField } from '../components/field.tsx';
import { FormDialog } from '../components/form-dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { errorMessage } from '../components/states.tsx';
import { TagField } from '../components/tag-field.tsx';
import { MAX_TAG, withText } from '../components/tag-text.ts';
import { toast } from '../components/toasts.tsx';
import { messages } from '../messages/en.ts';
import { tagsMessages } from '../messages/tags.ts';

export interface TagAction {
  kind: 'rename' | 'merge' | 'delete';
  tags: readonly Tag[];
}

interface TagDialogsProps {
  action: TagAction;
  all: readonly Tag[];
  onClose(): void;
  onDone(): void;
}

/** Dialogs of the page of tags. */
export function TagDialogs({ action: { kind, tags }, ...rest }: TagDialogsProps) {
  const [first] = tags;
  if (first === undefined) return null;
  if (kind === 'rename') return <Rename tag={first} {...rest} />;
  return kind === 'merge' ? <Merge tags={tags} {...rest} /> : <Delete tags={tags} {...rest} />;
}

type DialogProps = Omit<TagDialogsProps, 'action'>;

const sum = (tags: readonly Tag[]) => tags.reduce((total, { count }) => total + count, 0);
const namesOf = (tags: readonly Tag[]) => new Intl.ListFormat('en').format(tags.map(({ tag }) => tag));

/** Reads the tags again after a change, also after an error: a part of it may be done. */
async function changing(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } finally {
    filesChanged();
  }
}

function Rename({ tag: { tag }, all, onClose, onDone }: DialogProps & { tag: Tag }) {
  const [name, setName] = useState(tag);
  const trimmed = name.trim().normalize('NFC');
  const existing = trimmed === tag ? undefined : all.find((one) => one.tag === trimmed);
  const submit = () =>
    changing(async () => {
      await renameTag(tag, trimmed);
      if (existing) toast(tagsMessages.merged(trimmed, await countOf(trimmed)));
      else if (trimmed !== tag) {
        const takeBack = () =>
          void changing(async () => void (await renameTag(trimmed, tag))).catch((error) => toast(errorMessage(error)));
        toast(tagsMessages.renamed(tag, trimmed), { label: messages.files.undo, run: takeBack });
      }
    });
  return (
    <FormDialog
      title={tagsMessages.renameTitle(tag)}
      action={existing ? tagsMessages.merge : tagsMessages.rename}
      onSubmit={submit}
      onDone={onDone}
      onClose={onClose}
    >
      <TextField
        label={tagsMessages.name}
        value={name}
        onChange={setName}
        maxLength={MAX_TAG}
        autoComplete="off"
        isRequired
        autoFocus
      />
      <div role="status">
        {existing && (
          <p className="notice is-warning">
            <Icon name="alert" />
            {tagsMessages.exists(existing.tag, existing.count)}
          </p>
        )}
      </div>
    </FormDialog>
  );
}

function Merge({ tags, onClose, onDone }: Omit<DialogProps, 'all'> & { tags: readonly Tag[] }) {
  const most = tags.toSorted((one, other) => other.count - one.count)[0]?.tag;
  const [target, setTarget] = useState({ tags: tags.length > 1 && most !== undefined ? [most] : [], text: '' });
  const suggestions = useExistingTags();
  const submit = () => {
    const [name, ...others] = withText(target.tags, target.text);
    const merged = tags.filter(({ tag }) => tag !== name);
    if (name === undefined || others.length > 0 || merged.length === 0)
      return Promise.reject(new Error(tagsMessages.targetNeeded));
    return changing(async () => {
      for (const { tag } of merged) await renameTag(tag, name);
      toast(tagsMessages.merged(name, await countOf(name)));
    });
  };
  return (
    <FormDialog
      title={tagsMessages.mergeTitle(namesOf(tags))}
      text={tagsMessages.mergeText}
      action={tagsMessages.merge}
      onSubmit={submit}
      onDone={onDone}
      onClose={onClose}
    >
      <TagField
        label={tagsMessages.target}
        {...suggestions}
        tags={target.tags}
        text={target.text}
        // Another tag replaces the one that was chosen.
        onChange={(chosen, text) => setTarget({ tags: chosen.slice(-1), text })}
        autoFocus
      />
    </FormDialog>
  );
}

function Delete({ tags, onClose, onDone }: DialogProps & { tags: readonly Tag[] }) {
  const submit = () =>
    changing(async () => {
      for (const { tag } of tags) await deleteTag(tag);
      toast(tagsMessages.deleted(tags.length));
      onDone();
    });
  return (
    <Confirm
      title={tagsMessages.deleteTitle(tags.length)}
      text={tagsMessages.deleteText(namesOf(tags), sum(tags), tags.length === 1)}
      action={tagsMessages.delete}
      onConfirm={submit}
      onClose={onClose}
    />
  );
}
