import { toast } from '../../components/toasts.tsx';
import { messages } from '../../messages/en.ts';

interface Done {
  takeBack(): void;
  dismiss(): void;
}

/** Each may hold the names of thousands of files. */
const MAX_UNDO_STEPS = 10;

let done: readonly Done[] = [];

/** Says what was done, with a way back: in what is said, and by a key for as long as the page is open. */
export function sayDone(text: string, takeBack: (() => void) | undefined): void {
  if (takeBack === undefined) return void toast(text);
  const one: Done = { takeBack, dismiss: toast(text, { label: messages.files.undo, run: () => run(one) }) };
  done = [...done, one].slice(-MAX_UNDO_STEPS);
}

function run(one: Done): void {
  if (!done.includes(one)) return;
  done = done.filter((other) => other !== one);
  one.dismiss();
  one.takeBack();
}

/** Takes back what was done last; again, what was done before that. */
export function undo(): void {
  const last = done.at(-1);
  if (last) run(last);
  else toast(messages.files.nothingToUndo);
}
