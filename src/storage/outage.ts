import { setTimeout as pause } from 'node:timers/promises';
import { isOutage } from './blob-store.ts';

export interface OutageOptions {
  /** Told once when the store falls silent, with its error, and once when it answers again. */
  onChange?: (failure: Error | undefined) => void;
  /** The pause between two looks, in milliseconds. */
  retryMs?: number;
}

/** Whether a store is silent. While it is, one look at a time finds out when it answers again, whether anybody asks or not. */
export class Outage {
  readonly #onChange: NonNullable<OutageOptions['onChange']>;
  readonly #retryMs: number;
  #isOn = false;

  constructor({ onChange = () => undefined, retryMs = 500 }: OutageOptions = {}) {
    this.#onChange = onChange;
    this.#retryMs = retryMs;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** @param look asks the store for something */
  begin(failure: Error, look: () => Promise<unknown>): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#onChange(failure);
    void this.#wait(look);
  }

  async #wait(look: () => Promise<unknown>): Promise<void> {
    do await pause(this.#retryMs, undefined, { ref: false });
    while (!(await answers(look)));
    this.#isOn = false;
    this.#onChange(undefined);
  }
}

/** Also with a refusal. */
async function answers(look: () => Promise<unknown>): Promise<boolean> {
  return look().then(
    () => true,
    (error) => !isOutage(error),
  );
}
