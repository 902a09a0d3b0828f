import { filesChanged } from '../../api/batch.ts';
import { restoreVersion } from '../../api/versions.ts';
import { errorMessage } from '../../components/states.tsx';
import { toast } from '../../components/toasts.tsx';
import { versionsMessages } from '../../messages/versions.ts';

/** Restores a version and reports the result. */
export async function restore(path: string, id: string): Promise<void> {
  try {
    await restoreVersion(path, id);
    toast(versionsMessages.restored);
  } catch (error) {
    toast(errorMessage(error));
  }
  filesChanged();
}
