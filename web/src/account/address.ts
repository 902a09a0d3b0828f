/** Search parameters of the page. */
export interface AccountSearch {
  /** Reason why an identity could not be connected. */
  error?: string | undefined;
}

export const readAccountSearch = ({ error }: Record<string, unknown>): AccountSearch => ({
  error: typeof error === 'string' ? error : undefined,
});
