import { useQueryClient } from '@tanstack/react-query';
import { useCan } from '../../api/access.ts';
import { assetQuery, dropVariants } from '../../api/files.ts';
import type { Asset } from '../../api/types.ts';
import { Button } from '../../components/button.tsx';
import { formatBytes } from '../../components/format.ts';
import { errorMessage } from '../../components/states.tsx';
import { toast } from '../../components/toasts.tsx';
import { useAction } from '../../components/use-action.ts';
import { messages } from '../../messages/en.ts';

/** Cached variants of a file, which can be cleared. */
export function Variants({ asset: { path, variants } }: { asset: Asset }) {
  const client = useQueryClient();
  const canManage = useCan('manage');
  const { isBusy, run } = useAction((error) => toast(errorMessage(error)));
  const { count, size } = variants ?? { count: 0, size: 0 };
  const drop = async () => {
    await dropVariants(path);
    toast(messages.details.dropped(messages.plural.variants(count)));
    await client.invalidateQueries({ queryKey: assetQuery(path).queryKey });
  };
  return (
    <section className="details-section" aria-label={messages.details.variants}>
      <h3>{messages.details.variants}</h3>
      <div className="details-variants">
        <span className="number quiet">
          {count > 0
            ? messages.details.cached(messages.plural.variants(count), formatBytes(size))
            : messages.details.noVariants}
        </span>
        {canManage && (
          <Button icon="trash" isDisabled={count === 0} isPending={isBusy} onPress={() => run(drop)}>
            {messages.details.dropVariants}
          </Button>
        )}
      </div>
    </section>
  );
}
