import { useEffect } from 'react';
import { Button } from '../../components/button.tsx';
import { closeFirstSteps, useFirstSteps } from '../../components/first-steps.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { Skeleton } from '../../components/states.tsx';
import { startMessages } from '../../messages/start.ts';
import { dismiss, progressOf, StepList } from './step-list.tsx';
import { useSteps } from './use-steps.ts';

/** `/start`: the first steps, for admins. */
export function StartPage() {
  const steps = useSteps();
  const isLinked = useFirstSteps() === 'open';
  const isDone = steps?.every((step) => step.isDone) ?? false;
  useEffect(() => {
    if (isDone) closeFirstSteps();
  }, [isDone]);
  return (
    <div className="page">
      <PageHeader title={startMessages.title} lead={startMessages.lead} documentation="start">
        {steps && <span className="badge number">{progressOf(steps)}</span>}
        {isLinked && <Button onPress={dismiss}>{startMessages.dismiss}</Button>}
      </PageHeader>
      {steps === undefined ? (
        <Skeleton height={280} />
      ) : (
        <section className="card" aria-label={startMessages.title}>
          <StepList steps={steps} />
          {isDone && <p className="steps-end quiet">{startMessages.allDone}</p>}
        </section>
      )}
    </div>
  );
}
