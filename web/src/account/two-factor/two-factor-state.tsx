import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { sessionQuery } from '../../api/account.ts';
import { disableTwoFactor } from '../../api/two-factor.ts';
import { Button } from '../../components/button.tsx';
import { PasswordField } from '../../components/field.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { toast } from '../../components/toasts.tsx';
import { twoFactorMessages } from '../../messages/two-factor.ts';
import { TurnOnDialog } from './turn-on-dialog.tsx';

/** State of the second factor, with a button to turn it on or off. */
export function TwoFactorState() {
  const { data } = useQuery(sessionQuery);
  const [dialog, setDialog] = useState<'on' | 'off'>();
  const close = () => setDialog(undefined);
  if (!data) return null;
  const isOn = data.user.twoFactorEnabled === true;
  return (
    <div className="form">
      <p className="two-factor-state">
        <span className={isOn ? 'badge is-good' : 'badge'}>
          {isOn ? twoFactorMessages.isOn : twoFactorMessages.isOff}
        </span>
        {isOn ? twoFactorMessages.onText : twoFactorMessages.offText}
      </p>
      <Button onPress={() => setDialog(isOn ? 'off' : 'on')}>
        {isOn ? twoFactorMessages.turnOff : twoFactorMessages.turnOn}
      </Button>
      {dialog === 'on' && <TurnOnDialog email={data.user.email} onClose={close} />}
      {dialog === 'off' && <TurnOffDialog onClose={close} />}
    </div>
  );
}

function TurnOffDialog({ onClose }: { onClose(): void }) {
  const turnOff = async (data: FormData) => {
    await disableTwoFactor(String(data.get('password')));
    toast(twoFactorMessages.turnedOff);
  };
  return (
    <FormDialog
      title={twoFactorMessages.offTitle}
      action={twoFactorMessages.turnOff}
      onSubmit={turnOff}
      onClose={onClose}
    >
      <p className="quiet">{twoFactorMessages.offConfirm}</p>
      <PasswordField
        name="password"
        label={twoFactorMessages.password}
        autoComplete="current-password"
        isRequired
        autoFocus
      />
    </FormDialog>
  );
}
