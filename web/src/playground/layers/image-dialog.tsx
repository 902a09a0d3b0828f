import { Button } from '../../components/button.tsx';
import { ModalDialog } from '../../components/dialog.tsx';
import { messages } from '../../messages/en.ts';
import { Sources } from '../source-chooser.tsx';

interface ImageDialogProps {
  onChoose(path: string): void;
  /** For those who know where it is. */
  onType?: () => void;
  onClose(): void;
}

/** The choice of a picture of the library that is laid over another one. */
export function ImageDialog({ onChoose, onType, onClose }: ImageDialogProps) {
  const choose = (path: string) => {
    onClose();
    onChoose(path);
  };
  return (
    <ModalDialog title={messages.layers.choosing} isOpen onClose={onClose}>
      <Sources kinds={['image']} onChoose={choose} />
      <div className="dialog-actions">
        {onType && <Button onPress={onType}>{messages.layers.type}</Button>}
        <Button onPress={onClose}>{messages.cancel}</Button>
      </div>
    </ModalDialog>
  );
}
