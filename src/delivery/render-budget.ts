import { boundedCache } from '../bounded-cache.ts';
import { type Client, TRUSTED } from '../client.ts';
import { tooManyRequests } from '../errors.ts';
import type { Claim } from '../render/pool.ts';

interface RenderBudgetOptions {
  /** CPU time of renders per network and window, in ms; 0 for no limit. */
  perClientMs: number;
  windowMs: number;
  /** Monotonic clock in ms. */
  now?: () => number;
  /** Most networks in memory; the least recently rendering ones are evicted first. */
  maxClients?: number;
}

interface Window {
  usedMs: number;
  endsAt: number;
}

const MAX_CLIENTS = 100_000;

export type RenderBudget = ReturnType<typeof createRenderBudget>;

/** Returns the same budget for the renders of a space, which take turns with those of others. */
export function budgetOfSpace(budget: RenderBudget, space: string): RenderBudget {
  return { ...budget, claimOf: (clients) => ({ ...budget.claimOf(clients), space }) };
}

/**
 * Counts the CPU time of cold renders by network, in windows that begin with the first render. Clients with a key or a
 * session are exempt.
 */
export function createRenderBudget(options: RenderBudgetOptions) {
  const { perClientMs, windowMs, now = () => performance.now() } = options;
  const windows = boundedCache<string, Window>(options.maxClients ?? MAX_CLIENTS);

  function windowOf(client: Client): Window | undefined {
    const window = client === TRUSTED ? undefined : windows.get(client);
    return window && window.endsAt > now() ? window : undefined;
  }

  function exhausted(client: Client): Window | undefined {
    const window = windowOf(client);
    return window && perClientMs > 0 && window.usedMs >= perClientMs ? window : undefined;
  }

  /** @throws HttpProblem 429 when renders for this network have used up their budget */
  function admit(client: Client): void {
    const window = exhausted(client);
    if (!window) return;
    const message = `Renders for this address used ${Math.round(window.usedMs)} ms of CPU time: expected at most ${perClientMs} in ${windowMs} ms (RENDER_BUDGET_PER_CLIENT). Cached variants are still delivered.`;
    throw tooManyRequests(message, 'too_much_work', Math.max(1, Math.ceil((window.endsAt - now()) / 1000)));
  }

  return {
    admit,
    /**
     * Returns the claim of a render for these clients, who may change until it begins. The first of them with budget
     * left pays.
     */
    claimOf(clients: () => readonly Client[]): Claim {
      let payer: Client | undefined;
      return {
        clients,
        begin() {
          const all = clients();
          payer = all.find((client) => !exhausted(client));
          const [first] = all;
          if (payer === undefined && first !== undefined) admit(first);
        },
        charge(cpuMs) {
          if (payer === undefined || payer === TRUSTED || perClientMs === 0) return;
          const window = windowOf(payer) ?? { usedMs: 0, endsAt: now() + windowMs };
          window.usedMs += cpuMs;
          windows.set(payer, window);
        },
      };
    },
  };
}
