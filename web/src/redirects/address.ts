/** Search parameters of the page: only redirects that lead to this path. */
export interface RedirectsSearch {
  to?: string | undefined;
}

export const readRedirectsSearch = ({ to }: Record<string, unknown>): RedirectsSearch => ({
  to: typeof to === 'string' && to !== '' ? to : undefined,
});
