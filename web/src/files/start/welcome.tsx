import { useEffect } from 'react';
import { useCan } from '../../api/access.ts';
import { serviceUrl } from '../../api/base.ts';
import { addSamples, SAMPLE_BYTES } from '../../api/samples.ts';
import { Button } from '../../components/button.tsx';
import { openFirstSteps, useFirstSteps } from '../../components/first-steps.ts';
import { formatBytes } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { toast } from '../../components/toasts.tsx';
import { useAction } from '../../components/use-action.ts';
import { messages } from '../../messages/en.ts';
import { startMessages } from '../../messages/start.ts';
import { dismiss, progressOf, StepList } from './step-list.tsx';
import { useSteps } from './use-steps.ts';

/** The empty library: a drop zone, sample pictures and, for admins, the first steps. */
export function Welcome({ onUpload }: { onUpload(): void }) {
  const isAdmin = useCan('admin');
  const state = useFirstSteps();
  useEffect(() => {
    if (isAdmin) openFirstSteps();
  }, [isAdmin]);
  const command = `curl -H "Authorization: Bearer $KEY" -F files=@photo.jpg ${serviceUrl}upload`;
  return (
    <div className="welcome">
      <div>
        <div className="welcome-drop">
          <Icon name="upload" size={28} />
          <h2>{messages.files.empty.library}</h2>
          <p>{startMessages.drop}</p>
          <div className="welcome-actions">
            <Button variant="main" icon="upload" onPress={onUpload}>
              {startMessages.choose}
            </Button>
            <SamplesButton />
          </div>
          <p className="quiet">{startMessages.samplesText(formatBytes(SAMPLE_BYTES))}</p>
        </div>
        {isAdmin && state !== 'closed' && <FirstSteps />}
        <div className="quiet">
          <p>{startMessages.program}</p>
          <pre className="files-command">{command}</pre>
        </div>
      </div>
    </div>
  );
}

function SamplesButton() {
  const { isBusy, run } = useAction(() => toast(startMessages.samplesFailed));
  return (
    <Button icon="image" isPending={isBusy} onPress={() => run(addSamples)}>
      {startMessages.samples}
    </Button>
  );
}

function FirstSteps() {
  const steps = useSteps();
  if (steps === undefined) return null;
  return (
    <section className="card welcome-steps" aria-label={startMessages.title}>
      <header>
        <h2>{startMessages.title}</h2>
        <span className="badge number">{progressOf(steps)}</span>
        <Button variant="plain" onPress={dismiss}>
          {startMessages.dismiss}
        </Button>
      </header>
      <StepList steps={steps} />
    </section>
  );
}
