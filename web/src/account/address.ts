/** Search parameters of the page: the result of connecting an identity. */
export interface AccountSearch {
  connected?: true | undefined;
  /** Reason of a failure. */
  error?: string | undefined;
}

export const readAccountSearch = ({ connected, error }: Record<string, unknown>): AccountSearch => ({
  // A failure leads back to the same address, with its reason.
  connected: connected !== undefined && error === undefined ? true : undefined,
  error: typeof error === 'string' ? error : undefined,
});
