import { listenable } from './listenable.ts';

interface StoredChoice<Value extends string> {
  get(): Value;
  set(value: Value): void;
  use(): Value;
}

/**
 * Choice of the user that this browser stores, or the page without storage.
 * @param key in `localStorage`
 * @param values allowed ones, the usual one first; that one is not stored
 * @param apply called with a new value
 */
export function storedChoice<Value extends string>(
  key: string,
  values: readonly [Value, ...Value[]],
  apply?: (value: Value) => void,
): StoredChoice<Value> {
  const [usual] = values;
  const listeners = listenable();
  let unstored: Value = usual;
  const get = (): Value => {
    try {
      const text = localStorage.getItem(key);
      return values.find((value) => value === text) ?? usual;
    } catch {
      return unstored;
    }
  };
  return {
    get,
    set(value) {
      unstored = value;
      try {
        if (value === usual) localStorage.removeItem(key);
        else localStorage.setItem(key, value);
      } catch {
        // Without storage it lasts as long as the page.
      }
      apply?.(value);
      listeners.notify();
    },
    use: () => listeners.use(get),
  };
}
