import { useState } from 'react';

/** State of an action while it runs, with the error of the last run. */
export function useAction() {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const run = async (action: () => unknown): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await action();
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  return { error, isBusy, run };
}
