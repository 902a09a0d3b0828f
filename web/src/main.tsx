import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { I18nProvider } from 'react-aria-components/I18nProvider';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query-client.ts';
import { Toasts } from './components/toasts.tsx';
import { Tooltips } from './components/tooltips.tsx';
import { router } from './router.tsx';
import './styles/tokens.css';
import './styles/base.css';
import './styles/page.css';
import './styles/rows.css';
import './components/components.css';
import './components/small.css';
import './components/overlays.css';
import './components/states.css';

const app = document.getElementById('app');
if (app === null) throw new Error('The page has no element "app".');
createRoot(app).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <I18nProvider locale="en-US">
        <RouterProvider router={router} />
        <Toasts />
        <Tooltips />
      </I18nProvider>
    </QueryClientProvider>
  </StrictMode>,
);
