import type { Config } from '../config.ts';
import { createDeliver, type Delivering } from '../delivery/deliver.ts';
import { createFindOriginal } from '../delivery/find-original.ts';
import { createNotFound } from '../delivery/not-found.ts';
import { createRenderBudget } from '../delivery/render-budget.ts';

type Given = 'findOriginal' | 'budget' | 'limits';

/** What answers the requests for originals and variants. */
export function openDelivery({ limits, http, renderBudget }: Config, parts: Omit<Delivering, Given>) {
  const missing = createNotFound({ rules: limits, namesPresets: http.deliveryMode !== 'signed' });
  const findOriginal = createFindOriginal(limits, missing);
  const budget = createRenderBudget(renderBudget);
  return { findOriginal, deliver: createDeliver({ ...parts, budget, findOriginal, limits }) };
}
