/** Text with code between backticks. */
export function Written({ text }: { text: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the pieces have no other name, and none moves.
  return text.split('`').map((piece, index) => (index % 2 === 1 ? <code key={index}>{piece}</code> : piece));
}
