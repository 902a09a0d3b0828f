import { messages } from '../messages/en.ts';
import { toast } from './toasts.tsx';

/** Copies text and shows a toast. Over plain HTTP browsers have no clipboard API: fall back to `execCommand`. */
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
