import { type ToastAction, toast } from '../../components/toasts.tsx';
import { messages } from '../../messages/en.ts';

interface Done {
  takeBack(): void;
  dismiss(): void;
  /** Paths that the change is about. */
  paths: ReadonlySet<string>;
}

/** Each step may hold thousands of names. */
const MAX_UNDO_STEPS = 10;

const NO_PATHS: ReadonlySet<string> = new Set();

let done: readonly Done[] = [];

interface DoneOptions {
  /** Paths that the change is about: earlier messages about one of them go. */
  paths?: readonly string[];
  /** A further action of the message. */
  more?: ToastAction | undefined;
}

/** Shows a message with an undo action, which stays available by keyboard. */
export function sayDone(
  text: string,
  takeBack: (() => void) | undefined,
  { paths = [], more }: DoneOptions = {},
): void {
  dismissAbout(paths);
  const others = more ? [more] : [];
  if (takeBack === undefined) {
    toast(text, ...others);
    return;
  }
  const undoing = { label: messages.files.undo, run: () => run(one) };
  const one: Done = { takeBack, dismiss: toast(text, undoing, ...others), paths: new Set(paths) };
  add(one);
}

/** Adds a change whose message is shown elsewhere. @returns undoes it, once */
export function undoable(takeBack: () => void): () => void {
  const one: Done = { takeBack, dismiss: () => undefined, paths: NO_PATHS };
  add(one);
  return () => run(one);
}

/** Dismisses messages about paths that something else has happened to. Their changes can still be undone by keyboard. */
export function dismissAbout(paths: readonly string[]): void {
  for (const one of done) if (paths.some((path) => one.paths.has(path))) one.dismiss();
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
