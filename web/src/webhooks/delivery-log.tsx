import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import type { WebhookDelivery } from '../api/types.ts';
import { deliveriesQuery, redeliver } from '../api/webhooks.ts';
import { Button } from '../components/button.tsx';
import { formatAgo, formatMoment } from '../components/format.ts';
import { ErrorNotice, errorMessage, Skeleton } from '../components/states.tsx';
import { toast } from '../components/toasts.tsx';
import { messages } from '../messages/en.ts';

/** Deliveries of a webhook, newest first. */
export function DeliveryLog({ id, url, isEnabled }: { id: string; url: string; isEnabled: boolean }) {
  const client = useQueryClient();
  const query = deliveriesQuery(id);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(query);
  const deliveries = data?.pages.flatMap((page) => page.deliveries);
  const again = (delivery: string) =>
    void redeliver(id, delivery).then(
      () => client.invalidateQueries({ queryKey: query.queryKey }),
      (error) => toast(errorMessage(error)),
    );
  return (
    <section className="webhook-log" aria-label={messages.webhooks.logOf(url)}>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {deliveries === undefined && !error && <Skeleton height={60} />}
      {deliveries?.length === 0 && <p className="quiet">{messages.webhooks.nothingSent}</p>}
      {deliveries !== undefined && deliveries.length > 0 && (
        <ol>
          {deliveries.map((one) => (
            <DeliveryRow key={one.id} delivery={one} onAgain={isEnabled ? () => again(one.id) : undefined} />
          ))}
        </ol>
      )}
      {hasNextPage && (
        <Button isPending={isFetchingNextPage} onPress={() => fetchNextPage()}>
          {messages.webhooks.more}
        </Button>
      )}
    </section>
  );
}

function DeliveryRow({ delivery, onAgain }: { delivery: WebhookDelivery; onAgain: (() => void) | undefined }) {
  const { event, status, createdAt } = delivery;
  const { error, about } = resultOf(delivery);
  return (
    <li className="delivery-row">
      <span className={`badge is-${status}`}>{messages.webhooks.status[status]}</span>
      <div className="delivery-name">
        <code>{event}</code>
        <span className="quiet">{subjectOf(delivery)}</span>
      </div>
      <span className="delivery-result quiet number">
        <time dateTime={createdAt} title={formatMoment(createdAt)}>
          {formatAgo(createdAt)}
        </time>
        {about !== '' && <span>{about}</span>}
      </span>
      {status !== 'pending' && onAgain && (
        <Button variant="plain" icon="refresh" aria-label={messages.webhooks.againOne(event)} onPress={onAgain} />
      )}
      {error && <p className="delivery-error">{error}</p>}
    </li>
  );
}

/** Result of the last attempt and the next step. */
function resultOf({ status, attempts, nextAttemptAt }: WebhookDelivery) {
  const last = attempts.at(-1);
  const parts: string[] = [];
  if (last?.responseStatus) parts.push(messages.webhooks.answered(last.responseStatus, last.durationMs));
  if (attempts.length > 1) parts.push(messages.webhooks.attempts(attempts.length));
  if (status === 'pending' && last && nextAttemptAt) parts.push(messages.webhooks.next(formatMoment(nextAttemptAt)));
  return { about: parts.join(' · '), error: status === 'delivered' ? null : last?.error };
}

/** Path that the event is about. */
function subjectOf({ payload }: WebhookDelivery): string {
  const { path } = (payload.data ?? {}) as { path?: unknown };
  return typeof path === 'string' ? path : '';
}
