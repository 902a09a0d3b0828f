/** What the service answered to a file. */
export interface Reply {
  /** 0 where there is no answer. */
  status: number;
  text: string;
  header(name: string): string | null;
}

/** The connection broke off. */
export const NO_REPLY: Reply = { status: 0, text: '', header: () => null };
