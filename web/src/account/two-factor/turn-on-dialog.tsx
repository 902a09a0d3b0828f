import { useState } from 'react';
import { enableTwoFactor, type TwoFactorSecret, verifyCode } from '../../api/two-factor.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { CodeField, codeIn } from '../../components/code-field.tsx';
import { copyText } from '../../components/copy.ts';
import { ModalDialog } from '../../components/dialog.tsx';
import { PasswordField } from '../../components/field.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { lazyComponent } from '../../components/lazy-component.tsx';
import { Skeleton } from '../../components/states.tsx';
import { toast } from '../../components/toasts.tsx';
import { messages } from '../../messages/en.ts';
import { twoFactorMessages } from '../../messages/two-factor.ts';
import { secretOf } from './secret.ts';

/** Its encoder is only needed here. */
const QrCode = lazyComponent(() => import('./qr-code.tsx').then((code) => code.QrCode), <Skeleton height={228} />);

interface TurnOnDialogProps {
  email: string;
  onClose(): void;
}

/** Password, QR code with the first code of the app, and the backup codes, one after the other. */
export function TurnOnDialog({ email, onClose }: TurnOnDialogProps) {
  const [secret, setSecret] = useState<TwoFactorSecret>();
  const [isVerified, setVerified] = useState(false);
  if (secret === undefined) return <PasswordStep onSecret={setSecret} onClose={onClose} />;
  if (!isVerified) return <ScanStep secret={secret} onVerified={() => setVerified(true)} onClose={onClose} />;
  return <CodesStep email={email} codes={secret.backupCodes} onClose={onClose} />;
}

function PasswordStep({ onSecret, onClose }: { onSecret(secret: TwoFactorSecret): void; onClose(): void }) {
  const { passwordTitle, passwordText, password, next } = twoFactorMessages;
  return (
    <FormDialog
      title={passwordTitle}
      text={passwordText}
      action={next}
      onSubmit={(data) => enableTwoFactor(String(data.get('password')))}
      onDone={onSecret}
      onClose={onClose}
    >
      <PasswordField name="password" label={password} autoComplete="current-password" isRequired autoFocus />
    </FormDialog>
  );
}

interface ScanStepProps {
  secret: TwoFactorSecret;
  onVerified(): void;
  onClose(): void;
}

function ScanStep({ secret: { totpURI }, onVerified, onClose }: ScanStepProps) {
  const { scanTitle, scanText, verify } = twoFactorMessages;
  const secret = secretOf(totpURI);
  return (
    <FormDialog
      title={scanTitle}
      text={scanText}
      action={verify}
      onSubmit={(data) => verifyCode(codeIn(data))}
      onDone={onVerified}
      onClose={onClose}
    >
      <QrCode text={totpURI} label={twoFactorMessages.qr} />
      <div className="two-factor-secret">
        <span className="quiet">{twoFactorMessages.secret}</span>
        <code>{secret}</code>
        <Button
          variant="plain"
          icon="copy"
          aria-label={messages.copy(messages.copies.key)}
          onPress={() => copyText(secret.replaceAll(' ', ''), messages.copies.key)}
        />
      </div>
      <CodeField />
    </FormDialog>
  );
}

/** Backup codes: only an explicit confirmation closes it. */
function CodesStep({ email, codes, onClose }: { email: string; codes: readonly string[]; onClose(): void }) {
  const { codesTitle, codesText, whatCodes, download, fileName, fileText } = twoFactorMessages;
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent(fileText(email, codes))}`;
  const finish = () => {
    toast(twoFactorMessages.turnedOn);
    onClose();
  };
  return (
    <ModalDialog title={codesTitle} text={codesText} isOpen>
      <ul className="secret backup-codes" aria-label={twoFactorMessages.codes}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="page-actions">
        <Button icon="copy" onPress={() => copyText(codes.join('\n'), whatCodes)}>
          {messages.copy(whatCodes)}
        </Button>
        <ButtonLink icon="download" href={file} download={fileName}>
          {download}
        </ButtonLink>
      </div>
      <div className="dialog-actions">
        <Button variant="main" onPress={finish}>
          {twoFactorMessages.saved}
        </Button>
      </div>
    </ModalDialog>
  );
}
