import { describe, expect, test } from 'vitest';
import { type Client, TRUSTED } from '../client.ts';
import { createRenderBudget } from './render-budget.ts';

const TOO_MANY = expect.objectContaining({ name: 'HttpProblem', status: 429 });

function open(perClientMs = 100, maxClients = 10) {
  let time = 5000;
  const budget = createRenderBudget({ perClientMs, windowMs: 60_000, now: () => time, maxClients });
  return {
    budget,
    /** Charges a render of this duration to its clients. */
    render(cpuMs: number, ...clients: Client[]) {
      const claim = budget.claimOf(() => clients);
      claim.begin();
      claim.charge(cpuMs);
    },
    pass(milliseconds: number) {
      time += milliseconds;
    },
  };
}

describe('the budget of a network', () => {
  test('is the CPU time of its renders in a window; beyond it 429 says when to come back, and names the setting', () => {
    const { budget, render, pass } = open();
    render(60, 'a');
    pass(10_500);
    render(60, 'a');
    expect(() => budget.admit('a')).toThrow(TOO_MANY);
    expect(() => budget.admit('a')).toThrow(
      expect.objectContaining({
        headers: { 'Retry-After': '50' },
        message: expect.stringMatching(/120 ms .* at most 100 in 60000 ms \(RENDER_BUDGET_PER_CLIENT\)/),
      }),
    );
    budget.admit('b');
    pass(49_499);
    expect(() => budget.admit('a')).toThrow(TOO_MANY);
    pass(1);
    budget.admit('a');
  });

  test('is looked at again when a render that has waited begins', () => {
    const { budget, render } = open();
    const waiting = budget.claimOf(() => ['a']);
    render(100, 'a');
    expect(() => waiting.begin()).toThrow(TOO_MANY);
  });

  test('pays for what others want as well, and when it is used up the next of them pays', () => {
    const { budget, render } = open();
    render(100, 'a', 'b');
    expect(() => budget.admit('a')).toThrow(TOO_MANY);
    budget.admit('b');
    render(100, 'a', 'b');
    expect(() => budget.admit('b')).toThrow(TOO_MANY);
    expect(() => render(1, 'a', 'b')).toThrow(TOO_MANY);
  });

  test('is asked of nobody who has shown a key or a session, nor of those who want the same', () => {
    const { budget, render } = open();
    for (let n = 0; n < 10; n++) render(100, TRUSTED);
    budget.admit(TRUSTED);
    render(100, 'a');
    render(100, 'a', TRUSTED);
    expect(() => budget.admit('a')).toThrow(TOO_MANY);
  });

  test('of 0 has no end', () => {
    const { budget, render } = open(0);
    for (let n = 0; n < 10; n++) render(1e9, 'a');
    budget.admit('a');
  });

  test('of a million networks takes no more memory than that of as many as are remembered', () => {
    const { budget, render } = open(100, 10);
    render(100, 'a');
    for (let n = 0; n < 20; n++) render(100, `b${n}`);
    budget.admit('a');
    expect(() => budget.admit('b19')).toThrow(TOO_MANY);
  });
});
