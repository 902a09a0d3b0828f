import { useNavigate } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { useCan } from '../../api/access.ts';
import { folderOf } from '../../api/paths.ts';
import { useExistingTags } from '../../api/tags.ts';
import type { Asset } from '../../api/types.ts';
import { Button } from '../../components/button.tsx';
import { copyText } from '../../components/copy.ts';
import { LongTextField, TextField } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { ErrorNotice } from '../../components/states.tsx';
import { TagField } from '../../components/tag-field.tsx';
import { withText } from '../../components/tag-text.ts';
import { messages } from '../../messages/en.ts';
import { metadataMessages } from '../../messages/metadata.ts';
import { tagsMessages } from '../../messages/tags.ts';
import { type Draft, decide, edit, forget, save, useDraft } from './drafts.ts';
import { changesOf, type Field, type Words, wordsOf } from './words.ts';
import './metadata.css';

const LABELS: Readonly<Record<Field, string>> = messages.details;

/** Title, alt text, description and tags. A field is saved when it is left. */
export function MetadataForm({ asset }: { asset: Asset }) {
  const { path } = asset;
  const draft = useDraft(path, useOpen());
  const isReadOnly = !useCan('manage');
  const words: Words = { ...wordsOf(asset), ...draft?.edits };
  const textField = (name: 'title' | 'alt' | 'description') => ({
    label: LABELS[name],
    value: words[name],
    maxLength: name === 'description' ? 5000 : 500,
    isReadOnly,
    onChange: (text: string) => edit(asset, { [name]: text }),
    onBlur: () => void save(path),
  });
  const onEnter = ({ key }: { key: string }) => {
    if (key === 'Enter') void save(path);
  };
  return (
    <section className="details-section" aria-label={messages.details.metadata}>
      <Status draft={draft} />
      {draft?.state === 'failed' && <ErrorNotice error={draft.error} onRetry={() => void save(path)} />}
      <div className="details-form">
        <TextField {...textField('title')} onKeyDown={onEnter} />
        <Theirs draft={draft} field="title" />
        <LongTextField {...textField('alt')} rows={2} />
        <Theirs draft={draft} field="alt" />
        <LongTextField {...textField('description')} rows={2} />
        <Theirs draft={draft} field="description" />
        <MetadataTags asset={asset} tags={words.tags} isReadOnly={isReadOnly} />
      </div>
    </section>
  );
}

/** Opens the details of a file. */
function useOpen(): (path: string) => void {
  const navigate = useNavigate();
  return useCallback(
    (path) => void navigate({ to: '/files/$', params: { _splat: folderOf(path) }, search: { open: path } }),
    [navigate],
  );
}

/** Heading with the result of the last save. */
function Status({ draft }: { draft: Draft | undefined }) {
  const { state, undo, isUndone } = draft ?? {};
  const saved = isUndone ? metadataMessages.undone : messages.details.saved;
  return (
    <div className="details-status">
      <h3>{messages.details.metadata}</h3>
      <span role="status">
        {state === 'saving' && metadataMessages.saving}
        {state === 'saved' && (
          <>
            <Icon name="check" size={14} />
            {saved}
          </>
        )}
        {state === 'failed' && metadataMessages.notSaved}
        {state === 'conflict' && metadataMessages.conflict}
      </span>
      {undo && (
        <Button variant="plain" onPress={undo}>
          {isUndone ? metadataMessages.redo : metadataMessages.undo}
        </Button>
      )}
    </div>
  );
}

/** Text of another client for the same field, to choose between both. */
function Theirs({ draft, field }: { draft: Draft | undefined; field: Field }) {
  if (draft?.theirs === undefined || !draft.conflicts?.includes(field)) return null;
  const label = LABELS[field].toLowerCase();
  const text = String(wordsOf(draft.theirs)[field]);
  return (
    <div className="notice is-warning details-theirs">
      <p>
        <strong>{metadataMessages.theirs}</strong> {text || <em>{metadataMessages.nothing}</em>}
      </p>
      <Button onPress={() => decide(draft.path, field, true)}>{metadataMessages.keepMine(label)}</Button>
      <Button onPress={() => decide(draft.path, field, false)}>{metadataMessages.takeTheirs(label)}</Button>
    </div>
  );
}

/** Unsaved texts of a file that does not exist any more, to copy them. */
export function UnsavedTexts({ path }: { path: string }) {
  const draft = useDraft(path, useOpen());
  const texts = draft ? Object.entries(changesOf(wordsOf(draft.base), draft.edits)) : [];
  if (texts.length === 0) return null;
  return (
    <section className="details-section" aria-label={metadataMessages.unsavedTexts}>
      <h3>{metadataMessages.unsavedTexts}</h3>
      {texts.map(([field, value]) => (
        <div key={field} className="notice details-theirs">
          <p>
            <strong>{LABELS[field as Field]}</strong> {String(value)}
          </p>
          <Button icon="copy" onPress={() => copyText(String(value), LABELS[field as Field])}>
            {messages.copy(LABELS[field as Field].toLowerCase())}
          </Button>
        </div>
      ))}
      <Button icon="trash" onPress={() => forget(path)}>
        {metadataMessages.discard}
      </Button>
    </section>
  );
}

interface MetadataTagsProps {
  asset: Asset;
  tags: readonly string[];
  isReadOnly: boolean;
}

/** A click that leaves the field is over by then: the chip of a typed tag may move what is below. */
const LEFT_MS = 250;

function MetadataTags({ asset, tags, isReadOnly }: MetadataTagsProps) {
  const [typing, setTyping] = useState<{ tags: readonly string[]; text: string }>();
  const suggestions = useExistingTags();
  const onChange = (chosen: readonly string[], text: string) => {
    setTyping({ tags: chosen, text });
    edit(asset, { tags: withText(chosen, text) });
  };
  const onLeave = () => {
    void save(asset.path);
    setTimeout(() => setTyping(undefined), LEFT_MS);
  };
  return (
    <TagField
      label={LABELS.tags}
      {...suggestions}
      {...(!isReadOnly && { hint: tagsMessages.fieldHint })}
      tags={typing?.tags ?? tags}
      text={typing?.text ?? ''}
      isReadOnly={isReadOnly}
      onChange={onChange}
      onLeave={onLeave}
    />
  );
}
