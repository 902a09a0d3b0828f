import { useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { verifyBackupCode, verifyCode } from '../api/two-factor.ts';
import { Button } from '../components/button.tsx';
import { CodeField, codeIn } from '../components/code-field.tsx';
import { TextField } from '../components/field.tsx';
import { ErrorNotice } from '../components/states.tsx';
import { useForm } from '../components/use-form.ts';
import { signInMessages } from '../messages/sign-in.ts';

/** Second step of a sign-in: a code of the authenticator app, or a backup code. */
export function CodeForm({ onDone, onBack }: { onDone(): void; onBack(): void }) {
  const [isBackup, setBackup] = useState(false);
  return (
    <div className="gate-form">
      <p>{isBackup ? signInMessages.backupText : signInMessages.codeText}</p>
      <Code key={String(isBackup)} isBackup={isBackup} onDone={onDone} />
      <div className="gate-others">
        <Button variant="plain" onPress={() => setBackup(!isBackup)}>
          {isBackup ? signInMessages.useApp : signInMessages.useBackup}
        </Button>
        <Button variant="plain" onPress={onBack}>
          {signInMessages.back}
        </Button>
      </div>
    </div>
  );
}

function Code({ isBackup, onDone }: { isBackup: boolean; onDone(): void }) {
  const { error, isBusy, onSubmit } = useForm(async (data) => {
    await (isBackup ? verifyBackupCode : verifyCode)(codeIn(data));
    onDone();
  });
  return (
    <Form className="gate-form" onSubmit={onSubmit}>
      {error !== undefined && <ErrorNotice error={error} />}
      {isBackup ? (
        <TextField
          name="code"
          label={signInMessages.backup}
          autoComplete="off"
          spellCheck="false"
          maxLength={32}
          isRequired
          autoFocus
        />
      ) : (
        <CodeField />
      )}
      <Button type="submit" variant="main" wide isPending={isBusy}>
        {signInMessages.verify}
      </Button>
    </Form>
  );
}
