import type { Config } from '../config.ts';
import { createDeliver, type Delivering } from '../delivery/deliver.ts';
import { createFindOriginal } from '../delivery/find-original.ts';
import { createNotFound } from '../delivery/not-found.ts';
import { createRenderBudget } from '../delivery/render-budget.ts';
import { createPlaylists } from '../delivery/streaming/playlists.ts';

type Given = 'findOriginal' | 'budget' | 'limits' | 'playlists';

/** What answers the requests for originals and variants. */
export function openDelivery({ limits, http, renderBudget }: Config, parts: Omit<Delivering, Given>) {
  const missing = createNotFound({ rules: limits, namesPresets: http.deliveryMode !== 'signed' });
  const findOriginal = createFindOriginal(limits, missing);
  const budget = createRenderBudget(renderBudget);
  const playlists = createPlaylists({ ...parts, budget, heights: limits.streamHeights });
  const delivering = { ...parts, budget, findOriginal, limits, playlists };
  return { findOriginal, findInputs: parts.findInputs, playlists, budget, deliver: createDeliver(delivering) };
}
