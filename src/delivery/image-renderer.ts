import { boundedCache } from '../bounded-cache.ts';
import type { Client } from '../client.ts';
import type { Hold } from '../cluster/cluster.ts';
import { SingleFlight } from '../concurrency.ts';
import { Describer } from '../render/describer.ts';
import type { Claim } from '../render/pool.ts';
import { createAnalysisCache } from './analysis-cache.ts';
import {
  type ImageRendering,
  isTooLarge,
  type RenderedImage,
  renderIntoCache,
  type TooLarge,
} from './render-into-cache.ts';
import type { RequestedImage } from './requested-image.ts';
import { SlowFiles } from './slow-files.ts';

/** Most images remembered as too large for their format. A new check means reading the original. */
const MAX_KNOWN = 10_000;

export type ImageRenderer = ReturnType<typeof createImageRenderer>;

export function createImageRenderer(rendering: ImageRendering) {
  const { budget, once, variants } = rendering;
  const flights = new SingleFlight<RenderedImage, Client>();
  const tooLarge = boundedCache<string, TooLarge>(MAX_KNOWN);
  const slow = new SlowFiles();
  const findIn = createAnalysisCache(rendering);
  const context = { ...rendering, findIn, describer: new Describer(rendering), slow };

  async function render(requested: RequestedImage, signal: AbortSignal, clients: () => Client[]) {
    const { path } = requested.inputs.original;
    const payment = budget.claimOf(clients);
    let usedMs = 0;
    const claim: Claim = {
      ...payment,
      isHeavy: slow.isHeavy(requested),
      begin() {
        // A request abandoned while this one waited would take as long again.
        slow.check(requested);
        payment.begin();
      },
      charge(cpuMs) {
        usedMs += cpuMs;
        payment.charge(cpuMs);
      },
    };
    const find = () => variants.getAgain(path, requested.key, requested.files);
    const work = async (hold: Hold) => {
      try {
        return await renderIntoCache(context, requested, { signal, claim, hold });
      } finally {
        if (usedMs > 0) rendering.onRender?.(path, usedMs);
      }
    };
    // Waiting for another node takes no render slot on this one.
    const rendered = await once.run<RenderedImage>(requested.key, find, work, signal);
    if (isTooLarge(rendered)) tooLarge.set(requested.key, rendered);
    return rendered;
  }

  return {
    /** Returns the known reason why an image is too large for its format. */
    knownTooLarge: ({ key }: RequestedImage) => tooLarge.get(key),
    /**
     * Renders an image into the cache, once for any number of concurrent clients. The client that starts it needs
     * budget, those that join do not.
     * @throws HttpProblem 400 over a limit, 422 for a video without a frame or a layer that cannot be decoded, 503 when
     * rendering is overloaded or fails, 429 when one network has rendered or requested too much
     */
    async render(requested: RequestedImage, signal: AbortSignal | undefined, client: Client): Promise<RenderedImage> {
      slow.check(requested);
      if (!flights.has(requested.key)) budget.admit(client);
      return flights.run(requested.key, signal, (shared, clients) => render(requested, shared, clients), client);
    },
  };
}
