import { filesChanged } from '../../api/batch.ts';
import { restoreVersion } from '../../api/versions.ts';
import { versionsMessages } from '../../messages/versions.ts';
import { adviceOn } from '../../parts/states.tsx';
import { toast } from '../../parts/toasts.tsx';

/** Puts a version in the place of its file, and says how that went. */
export async function restore(path: string, id: string): Promise<void> {
  try {
    await restoreVersion(path, id);
    toast(versionsMessages.restored);
  } catch (error) {
    toast(adviceOn(error));
  }
  filesChanged();
}
