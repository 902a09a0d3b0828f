import { toast } from '../../components/toasts.tsx';
import { messages } from '../../messages/en.ts';

interface Done {
  takeBack(): void;
  dismiss(): void;
}

/** Each step may hold thousands of names. */
const MAX_UNDO_STEPS = 10;

let done: readonly Done[] = [];

/** Shows a message with an undo action, which stays available by keyboard. */
export function sayDone(text: string, takeBack: (() => void) | undefined): void {
  if (takeBack === undefined) {
    toast(text);
    return;
  }
  const one: Done = { takeBack, dismiss: toast(text, { label: messages.files.undo, run: () => run(one) }) };
  add(one);
}

/** Adds a change whose message is shown elsewhere. @returns undoes it, once */
export function undoable(takeBack: () => void): () => void {
  const one: Done = { takeBack, dismiss: () => undefined };
  add(one);
  return () => run(one);
}

function add(one: Done): void {
  done = [...done, one].slice(-MAX_UNDO_STEPS);
}

function run(one: Done): void {
  if (!done.includes(one)) return;
  done = done.filter((other) => other !== one);
  one.dismiss();
  one.takeBack();
}

/** Undoes the last action; repeated calls go further back. */
export function undo(): void {
  const last = done.at(-1);
  if (last) run(last);
  else toast(messages.files.nothingToUndo);
}
