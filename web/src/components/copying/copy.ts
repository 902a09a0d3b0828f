import { messages } from '../../messages/en.ts';
import { toast } from '../toasts.tsx';

/** Puts text on the clipboard and says so. Over plain http browsers have no clipboard: then an old command does it. */
export async function copyText(text: string): Promise<void> {
  try {
    if (navigator.clipboard) await navigator.clipboard.writeText(text);
    else copyBySelection(text);
    toast(messages.copied);
  } catch {
    toast(messages.notCopied);
  }
}

function copyBySelection(text: string): void {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'unseen';
  document.body.append(field);
  field.select();
  const isDone = document.execCommand('copy');
  field.remove();
  if (!isDone) throw new Error('The browser has no clipboard.');
}
