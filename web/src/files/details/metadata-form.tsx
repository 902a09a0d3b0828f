import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useCan } from '../../api/access.ts';
import { filesChanged } from '../../api/batch.ts';
import { assetQuery, updateMetadata } from '../../api/files.ts';
import type { Asset } from '../../api/types.ts';
import { Button } from '../../components/button.tsx';
import { LongTextField, TextField } from '../../components/field.tsx';
import { ErrorNotice } from '../../components/states.tsx';
import { toast } from '../../components/toasts.tsx';
import { useAction } from '../../components/use-action.ts';
import { messages } from '../../messages/en.ts';

/** Form for title, alt text, description and tags. */
export function MetadataForm({ asset }: { asset: Asset }) {
  const client = useQueryClient();
  const isReadOnly = !useCan('manage');
  const [isChanged, setChanged] = useState(false);
  const { error, isBusy, run } = useAction();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const metadata = readMetadata(new FormData(event.currentTarget));
    void run(async () => {
      const changed = await updateMetadata(asset.path, asset.revision, metadata);
      client.setQueryData(assetQuery(asset.path).queryKey, changed);
      toast(messages.details.saved);
      filesChanged();
    });
  };
  return (
    <section className="details-section" aria-label={messages.details.metadata}>
      <h3>{messages.details.metadata}</h3>
      <form className="details-form" onSubmit={submit} onChange={() => setChanged(true)}>
        <TextField
          name="title"
          label={messages.details.title}
          defaultValue={asset.title ?? ''}
          maxLength={500}
          isReadOnly={isReadOnly}
        />
        <LongTextField
          name="alt"
          label={messages.details.alt}
          defaultValue={asset.alt ?? ''}
          rows={2}
          maxLength={500}
          isReadOnly={isReadOnly}
        />
        <LongTextField
          name="description"
          label={messages.details.description}
          defaultValue={asset.description ?? ''}
          rows={2}
          maxLength={5000}
          isReadOnly={isReadOnly}
        />
        <TextField
          name="tags"
          label={messages.details.tags}
          {...(!isReadOnly && { hint: messages.files.tagsHint })}
          defaultValue={asset.tags.join(', ')}
          isReadOnly={isReadOnly}
        />
        {error !== undefined && <ErrorNotice error={error} />}
        {isChanged && (
          <Button type="submit" variant="main" isPending={isBusy}>
            {messages.details.save}
          </Button>
        )}
      </form>
    </section>
  );
}

function readMetadata(data: FormData) {
  const text = (name: string) => String(data.get(name) ?? '').trim() || null;
  const tags = (text('tags') ?? '').split(',').map((tag) => tag.trim());
  return {
    title: text('title'),
    alt: text('alt'),
    description: text('description'),
    tags: [...new Set(tags.filter((tag) => tag !== ''))],
  };
}
