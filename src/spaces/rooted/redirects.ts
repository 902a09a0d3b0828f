import type { SpaceRows } from '../../catalog/catalog-store.ts';
import type { ListedRedirect, Redirect, Redirects } from '../../catalog/redirects.ts';
import { ROOT, type StoragePath } from '../../path.ts';
import type { Root } from './root.ts';

/** View of the redirects for a space: those that lead across its border are none of its own. */
export function rootedRedirects(base: Redirects, root: Root): SpaceRows['redirects'] {
  const { toOuter, toInner, contains, folder: space } = root;
  const isInside = (path: StoragePath) => contains(path) && path !== space;
  const isOwn = ({ from, to }: Redirect) => isInside(from) && isInside(to);
  const inner = <R extends Redirect>(redirect: R): R => ({
    ...redirect,
    from: toInner(redirect.from),
    to: toInner(redirect.to),
  });
  const own = (redirect: Redirect | undefined) => (redirect && isOwn(redirect) ? inner(redirect) : undefined);
  return {
    find: async (path) => own(await base.find(toOuter(path))),
    async page(limit, after, folder = ROOT, { from, to } = {}) {
      const filter = { from: from?.map(toOuter), to: to === undefined ? undefined : toOuter(to) };
      const found: ListedRedirect[] = [];
      let last = after === undefined ? undefined : toOuter(after);
      for (;;) {
        const some = await base.page(limit, last, toOuter(folder), filter);
        found.push(...some.filter(isOwn).map(inner));
        last = some.at(-1)?.from;
        if (some.length < limit || found.length >= limit) return found.slice(0, limit);
      }
    },
    count: async (folder = ROOT) => base.count(toOuter(folder)),
    async put({ from, to, ...redirect }, isGone, mayLead = () => true) {
      const outer = { ...redirect, from: toOuter(from), to: toOuter(to) };
      const isFollowed = (folder: StoragePath, target: StoragePath) =>
        isInside(folder) && isInside(target) && mayLead(toInner(folder), toInner(target));
      const added = await base.put(outer, isGone, isFollowed);
      return added.filter(isInside).map(toInner);
    },
    async remove(from) {
      const outer = toOuter(from);
      const found = await base.find(outer);
      return found?.from === outer && isOwn(found) ? own(await base.remove(outer)) : undefined;
    },
  };
}
