import { type Kysely, sql } from 'kysely';
import type { Schema } from '../db/schema.ts';
import { HttpProblem, unavailable } from '../errors.ts';

const RETRY_SECONDS = 5;

const remaining = sql.ref('remaining');
const refillAmount = sql.ref('refillAmount');
const refillIntervalMs = sql.ref('refillIntervalMs');
const refilledAt = sql.ref('refilledAt');
const rateLimitMax = sql.ref('rateLimitMax');
const rateLimitWindowMs = sql.ref('rateLimitWindowMs');
const rateLimitStartedAt = sql.ref('rateLimitStartedAt');
const rateLimitCount = sql.ref('rateLimitCount');
const lastUsedAt = sql.ref('lastUsedAt');

/**
 * Counts one request against the quota and the rate limit of a key. One statement, so that concurrent requests on all
 * nodes never exceed them. A refused request counts for neither.
 * @param now Unix milliseconds
 * @returns false when a limit is reached or the key was deleted
 * @throws HttpProblem 503 when the database cannot count
 */
export async function countUse(db: Kysely<Schema>, id: string, now: number): Promise<boolean> {
  const isRefillDue = sql`${refilledAt} + ${refillIntervalMs} <= ${now}`;
  // Another node may have begun the window some ms ahead of `now`. A start that is a whole window ahead precedes a
  // clock change.
  const isInWindow = sql`abs(${now} - ${rateLimitStartedAt}) < ${rateLimitWindowMs}`;
  const counting = sql`
    update api_key set
      ${remaining} = case
        when ${remaining} is null then null
        when ${isRefillDue} then ${refillAmount} - 1
        else ${remaining} - 1
      end,
      ${refilledAt} = case when ${isRefillDue} then ${now} else ${refilledAt} end,
      ${rateLimitCount} = case when ${isInWindow} then ${rateLimitCount} + 1 else 1 end,
      ${rateLimitStartedAt} = case when ${isInWindow} then ${rateLimitStartedAt} else ${now} end,
      ${lastUsedAt} = ${new Date(now).toISOString()}
    where id = ${id}
      and (${remaining} is null or ${remaining} > 0 or ${isRefillDue})
      and (${rateLimitMax} is null or ${rateLimitCount} < ${rateLimitMax} or not (${isInWindow}))
    returning id
  `;
  try {
    return (await counting.execute(db)).rows.length > 0;
  } catch (error) {
    if (error instanceof HttpProblem) throw error;
    throw unavailable(
      `The use of the API key cannot be counted. Retry in ${RETRY_SECONDS} s.`,
      'database_unavailable',
      RETRY_SECONDS,
      error,
    );
  }
}
