import type { Config } from '../config.ts';
import { createDeliver, type Delivering } from '../delivery/deliver.ts';
import { createFindOriginal } from '../delivery/find-original.ts';
import { createNotFound } from '../delivery/not-found.ts';
import { createFindLayers } from '../delivery/pictures/layer-inputs.ts';
import { createRenderBudget } from '../delivery/render-budget.ts';
import { createPlaylists } from '../delivery/streaming/playlists.ts';
import type { Fonts } from '../render/fonts/fonts.ts';

type Given = 'findOriginal' | 'findLayers' | 'budget' | 'limits' | 'playlists';

/** What answers the requests for originals and variants. @param fonts those that texts are painted with */
export function openDelivery({ limits, http, renderBudget }: Config, parts: Omit<Delivering, Given>, fonts: Fonts) {
  const missing = createNotFound({ rules: limits, namesPresets: http.deliveryMode !== 'signed' });
  const findOriginal = createFindOriginal(limits, missing);
  const budget = createRenderBudget(renderBudget);
  const findLayers = createFindLayers(parts.originals, fonts.fingerprint);
  const playlists = createPlaylists({ ...parts, budget, heights: limits.streamHeights });
  const delivering = { ...parts, budget, findOriginal, findLayers, limits, playlists };
  return { findOriginal, findLayers, playlists, deliver: createDeliver(delivering) };
}
