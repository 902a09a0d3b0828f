import { useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { ApiError } from '../api/error.ts';
import { verifyBackupCode, verifyCode } from '../api/two-factor.ts';
import { Button } from '../components/button.tsx';
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
      <CodeField key={String(isBackup)} isBackup={isBackup} onDone={onDone} />
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

function CodeField({ isBackup, onDone }: { isBackup: boolean; onDone(): void }) {
  const { error, isBusy, onSubmit } = useForm(async (data) => {
    const code = String(data.get('code')).replace(/\s/g, '');
    await explained(isBackup ? verifyBackupCode(code) : verifyCode(code), isBackup);
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
        <TextField
          name="code"
          label={signInMessages.code}
          hint={signInMessages.codeHint}
          inputMode="numeric"
          autoComplete="one-time-code"
          pattern="\s*(\d\s*){6}"
          isRequired
          autoFocus
        />
      )}
      <Button type="submit" variant="main" wide isPending={isBusy}>
        {signInMessages.verify}
      </Button>
    </Form>
  );
}

/** Replaces the refusal of a wrong code. Others, such as a used code, say themselves what to do. */
async function explained(check: Promise<void>, isBackup: boolean): Promise<void> {
  try {
    await check;
  } catch (error) {
    const isWrong = error instanceof ApiError && error.status === 401 && /^invalid (backup )?code/i.test(error.message);
    if (!isWrong) throw error;
    throw new Error(isBackup ? signInMessages.wrongBackup : signInMessages.wrongCode);
  }
}
