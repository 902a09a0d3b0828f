import { afterEach, expect, test, vi } from 'vitest';
import { QuestionThread, ThreadEnded } from './question-thread.ts';

const SCRIPT = `
  import { threadId } from 'node:worker_threads';
  import { answerQuestions } from ${JSON.stringify(new URL('./question-thread.ts', import.meta.url))};
  answerQuestions((question, signal) => {
    if (question === 'end') process.exit();
    if (question === 'thread') return String(threadId);
    if (question === 'throw') throw Object.assign(new Error('No.'), { code: 'EXAMPLE' });
    if (question === 'wait') return new Promise((resolve) => { signal.onabort = resolve; });
    if (question === 'break') setImmediate(() => { throw new Error('Broken.'); });
    return question === 'break' ? new Promise(() => undefined) : 'answer to ' + question;
  });
`;
const thread = new QuestionThread<string, string>(new URL(`data:text/javascript,${encodeURIComponent(SCRIPT)}`));
afterEach(() => expect(thread.ask('again')).resolves.toBe('answer to again'));

test('gives each asker its own answer', async () => {
  const answers = await Promise.all(['a', 'b', 'c'].map((question) => thread.ask(question)));
  expect(answers).toEqual(['answer to a', 'answer to b', 'answer to c']);
});

test('an error has its message and its code', async () => {
  await expect(thread.ask('throw')).rejects.toMatchObject({ message: 'No.', code: 'EXAMPLE' });
});

test('a question that is given up is over at once, with the reason', async () => {
  const abort = new AbortController();
  const asked = thread.ask('wait', abort.signal);
  const reason = new Error('Enough.');
  abort.abort(reason);
  await expect(asked).rejects.toBe(reason);
  await expect(thread.ask('a', abort.signal)).rejects.toBe(reason);
});

test('all that were asked of a thread that dies hear of it, with the cause', async () => {
  const ended = await Promise.allSettled([thread.ask('wait'), thread.ask('end')]);
  for (const answer of ended) expect(answer).toMatchObject({ reason: expect.any(ThreadEnded) });
  await expect(thread.ask('break')).rejects.toMatchObject({ name: 'ThreadEnded', cause: { message: 'Broken.' } });
});

test('ends after half a minute without a question, not during one, and the next question starts another', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const first = await thread.ask('thread');
    vi.advanceTimersByTime(29_999);
    expect(await thread.ask('thread')).toBe(first);
    const abort = new AbortController();
    const asked = thread.ask('wait', abort.signal);
    vi.advanceTimersByTime(300_000);
    expect(await thread.ask('thread')).toBe(first);
    abort.abort(new Error('Enough.'));
    await expect(asked).rejects.toThrow('Enough.');
    vi.advanceTimersByTime(30_000);
    // Also while the first one is ending.
    const second = await thread.ask('thread');
    expect(second).not.toBe(first);
    expect(await thread.ask('thread')).toBe(second);
  } finally {
    vi.useRealTimers();
  }
});

test('ends as well after a question that cannot be sent', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const first = await thread.ask('thread');
    await expect(thread.ask((() => undefined) as never)).rejects.toMatchObject({ name: 'DataCloneError' });
    vi.advanceTimersByTime(30_000);
    expect(await thread.ask('thread')).not.toBe(first);
  } finally {
    vi.useRealTimers();
  }
});

test('is not asked after it was closed', async () => {
  const closed = new QuestionThread<string, string>(new URL(`data:text/javascript,${encodeURIComponent(SCRIPT)}`));
  const asked = expect(closed.ask('wait')).rejects.toThrow(ThreadEnded);
  await closed.close();
  await asked;
  await expect(closed.ask('a')).rejects.toThrow('closed');
  await closed.close();
});
