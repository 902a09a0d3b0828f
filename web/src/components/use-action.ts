import { useState } from 'react';

/** State of an action while it runs, with the error of the last run. @param onError called with it too */
export function useAction(onError?: (error: unknown) => void) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const run = async (action: () => unknown): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await action();
    } catch (problem) {
      setError(problem);
      onError?.(problem);
    }
    setBusy(false);
  };
  return { error, isBusy, run };
}
