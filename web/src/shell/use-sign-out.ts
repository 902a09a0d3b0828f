import { useNavigate } from '@tanstack/react-router';
import { signOut } from '../api/account.ts';
import { errorMessage } from '../components/states.tsx';
import { toast } from '../components/toasts.tsx';

/** Signs out, and goes to the page to sign in. */
export function useSignOut(): () => void {
  const navigate = useNavigate();
  return () =>
    void signOut().then(
      () => navigate({ to: '/login' }),
      (error) => toast(errorMessage(error)),
    );
}
