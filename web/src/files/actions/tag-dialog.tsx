import { useState } from 'react';
import { useExistingTags } from '../../api/tags.ts';
import type { Target } from '../../api/targets/targets.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { TagField } from '../../components/tag-field.tsx';
import { withText } from '../../components/tag-text.ts';
import { messages } from '../../messages/en.ts';
import { tagsMessages } from '../../messages/tags.ts';
import { sizeOf } from '../selection.ts';
import { work } from './work.ts';

interface TagDialogProps {
  target: Target;
  onClose(): void;
  onDone(): void;
}

/** Adds tags to all items of a target, and removes others. */
export function TagDialog({ target, onClose, onDone }: TagDialogProps) {
  const added = useTags();
  const removed = useTags();
  const suggestions = useExistingTags();
  const submit = async () => {
    const add = added.read();
    const remove = removed.read();
    if (add.length + remove.length === 0) throw new Error(tagsMessages.dialog.nothing);
    onClose();
    onDone();
    void apply(add, remove, target);
  };
  const { title, action, add, remove } = tagsMessages.dialog;
  return (
    <FormDialog
      title={title(messages.plural.items(sizeOf(target)))}
      action={action}
      onSubmit={submit}
      onDone={() => undefined}
      onClose={onClose}
    >
      <TagField label={add} hint={tagsMessages.fieldHint} {...suggestions} {...added.props} autoFocus />
      <TagField label={remove} {...suggestions} {...removed.props} />
    </FormDialog>
  );
}

async function apply(add: string[], remove: string[], target: Target): Promise<void> {
  if (add.length > 0) await work({ action: 'tag', tags: add }, target);
  if (remove.length > 0) await work({ action: 'untag', tags: remove }, target);
}

function useTags() {
  const [{ tags, text }, set] = useState<{ tags: readonly string[]; text: string }>({ tags: [], text: '' });
  const onChange = (chosen: readonly string[], typed: string) => set({ tags: chosen, text: typed });
  return { props: { tags, text, onChange }, read: () => withText(tags, text) };
}
