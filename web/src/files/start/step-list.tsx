import { Link } from '@tanstack/react-router';
import { closeFirstSteps } from '../../components/first-steps.ts';
import { Icon } from '../../components/icon.tsx';
import { toast } from '../../components/toasts.tsx';
import { startMessages } from '../../messages/start.ts';
import type { Step } from './use-steps.ts';
import './start.css';

/** Checklist whose steps link to where they are done. */
export function StepList({ steps }: { steps: readonly Step[] }) {
  return (
    <ol className="steps">
      {steps.map(({ name, to, isDone }) => {
        const [title, text] = startMessages.steps[name];
        return (
          <li key={name} className={isDone ? 'is-done' : ''}>
            <span className="steps-mark">
              {isDone && <Icon name="check" size={14} />}
              <span className="unseen">{isDone ? startMessages.done : startMessages.open}</span>
            </span>
            <div>
              <Link to={to}>{title}</Link>
              <p className="quiet">{text}</p>
            </div>
          </li>
        );
      })}
    </ol>
  );
}

export const progressOf = (steps: readonly Step[]) =>
  startMessages.progress(steps.filter(({ isDone }) => isDone).length, steps.length);

/** The page of the steps stays in the account menu. */
export function dismiss(): void {
  closeFirstSteps();
  toast(startMessages.dismissed);
}
