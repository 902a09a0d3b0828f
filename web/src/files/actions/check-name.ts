import { messages } from '../../messages/en.ts';
import { lostCharacters } from '../entry.ts';

/** @throws Error that names the characters which the name would lose */
export function refuseLost(name: string): void {
  const lost = lostCharacters(name).map((one) => (/\p{Cc}/u.test(one) ? messages.files.controlCharacters : one));
  if (lost.length > 0) throw new Error(messages.files.notInNames([...new Set(lost)]));
}
