/** Response to an upload. */
export interface Reply {
  /** 0 without a response. */
  status: number;
  text: string;
  header(name: string): string | null;
}

/** The connection was lost. */
export const NO_REPLY: Reply = { status: 0, text: '', header: () => null };
