import { messages } from '../messages/en.ts';
import { Button } from './button.tsx';
import { listenable } from './listenable.ts';

export interface ToastAction {
  label: string;
  run(): void;
}

interface Toast {
  id: number;
  text: string;
  actions: readonly ToastAction[];
}

/** Long enough to reach "Undo". */
const SHOWN_MS = 10_000;
/** More would cover the page. */
const MAX_SHOWN = 3;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = listenable();

function set(next: readonly Toast[]): void {
  toasts = next;
  listeners.notify();
}

const dismiss = (id: number) => set(toasts.filter((one) => one.id !== id));

/** True while a toast is hovered or focused. */
const isInUse = () => document.querySelector('.toast:is(:hover, :focus-within)') !== null;

/** Shows a message with its actions; equal texts are merged. @returns dismisses it */
export function toast(text: string, ...actions: readonly ToastAction[]): () => void {
  const id = ++lastId;
  const others = toasts.filter((one) => one.text !== text);
  set([...others, { id, text, actions }].slice(-MAX_SHOWN));
  const end = () => (isInUse() ? void setTimeout(end, SHOWN_MS) : dismiss(id));
  setTimeout(end, SHOWN_MS);
  return () => dismiss(id);
}

/** Toasts on screen, announced to screen readers. */
export function Toasts() {
  const shown = listeners.use(() => toasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, actions }) => (
        <div key={id} className="toast">
          <span>{text}</span>
          {actions.map((action) => (
            <Button
              key={action.label}
              variant="plain"
              onPress={() => {
                dismiss(id);
                action.run();
              }}
            >
              {action.label}
            </Button>
          ))}
          <Button variant="plain" icon="close" aria-label={messages.dismiss} onPress={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
