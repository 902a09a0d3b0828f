import { messages } from '../messages/en.ts';
import { rememberCopied } from './first-steps.ts';
import { toast } from './toasts.tsx';

/** Copies text and says so. @param what name of the text, as in `Copy URL` */
export async function copyText(text: string, what: string): Promise<void> {
  const isCopied = await writeText(text);
  if (isCopied) rememberCopied(text);
  toast(isCopied ? messages.copied(what) : messages.notCopied);
}

/**
 * Writes text to the clipboard. Over plain HTTP browsers have no clipboard API: fall back to `execCommand`.
 * @returns false if the browser refuses it
 */
export async function writeText(text: string): Promise<boolean> {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text);
      return true;
    }
  } catch {
    // Without the permission a copy command may still be allowed.
  }
  return copyByEvent(text) || copyBySelection(text);
}

/** Provides the text when the browser copies. The focus stays, also in a dialog that holds it. */
function copyByEvent(text: string): boolean {
  let isDone = false;
  const abort = new AbortController();
  const options = { capture: true, signal: abort.signal };
  // Some browsers copy without a selection only where a page says that it can.
  document.addEventListener('beforecopy', (event) => event.preventDefault(), options);
  const onCopy = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    event.stopPropagation();
    isDone = true;
  };
  document.addEventListener('copy', onCopy, options);
  document.execCommand('copy');
  abort.abort();
  return isDone;
}

function copyBySelection(text: string): boolean {
  const before = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'unseen';
  document.body.append(field);
  field.select();
  const isDone = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  return isDone;
}
