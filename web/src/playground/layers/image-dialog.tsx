import { Button } from '../../components/button.tsx';
import { ModalDialog } from '../../components/dialog.tsx';
import { messages } from '../../messages/en.ts';
import { Sources } from '../source-chooser.tsx';

interface ImageDialogProps {
  onChoose(path: string): void;
  /** Offers to type the path instead. */
  onType?: () => void;
  onClose(): void;
}

/** Dialog for choosing an image layer. */
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
