import { messages } from '../../messages/en.ts';
import { lostCharacters } from '../entry.ts';

/** Names the characters that a name of the service cannot have; undefined without any. */
export function problemOfName(name: string): string | undefined {
  const lost = lostCharacters(name).map((one) => (/\p{Cc}/u.test(one) ? messages.files.controlCharacters : one));
  return lost.length > 0 ? messages.files.notInNames([...new Set(lost)]) : undefined;
}
