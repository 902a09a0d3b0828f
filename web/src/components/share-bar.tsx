/** A share that is not 0 stays visible, in percent. */
const MIN_WIDTH = 0.8;

/** Bar below a name in a table, which has the figures. @param share 0 to 1 */
export function ShareBar({ share }: { share: number }) {
  return (
    <svg className="share-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect width={share === 0 ? 0 : Math.max(MIN_WIDTH, 100 * share)} height="4" rx="0.6" />
    </svg>
  );
}
