import { type Endpoint, METHODS } from './endpoint.ts';
import { byPath, routesOf } from './route-table.ts';

/** What is decided about a request before the framework sees it. */
export interface EndpointClass {
  /** Whether it counts for the public rate limit. */
  isCounted: boolean;
  /** Whether the pages of every site may read its answer. */
  isOpen: boolean;
}

/** @param url the request target as it arrived */
export type Classify = (method: string, url: string) => EndpointClass;

/** The class of everything that has no endpoint, and of most endpoints. */
const ORDINARY: EndpointClass = { isCounted: false, isOpen: false };

/** One object for each class, so that two classes are equal when they are the same object. */
const CLASSES: readonly EndpointClass[] = [
  ORDINARY,
  { isCounted: true, isOpen: true },
  { isCounted: true, isOpen: false },
  { isCounted: false, isOpen: true },
];

const PREFIX = '/api';

export type EndpointLookup = ReturnType<typeof createLookup>;

/**
 * What the declarations of the endpoints say of a request line. Builds the tables once; asking them is cheap, because each cached
 * picture asks.
 */
export function createLookup(endpoints: readonly Endpoint[]) {
  const places = placesOf(endpoints);
  const trees = treesOf(places);
  const families = Map.groupBy(places, ({ names: [, first = ''] }) => (isWildcard(first) ? '*' : first));
  const withoutPrefix = createPrefixRemover(places);

  function find(method: string, url: string): EndpointClass {
    const names = decodePath(withoutPrefix(url)).split('/');
    const findIn = (family = '') => families.get(family)?.find((one) => fits(one.names, names));
    const place = findIn(names[1]) ?? findIn('*');
    return place?.classes.get(method) ?? place?.otherwise ?? ORDINARY;
  }

  return {
    classify(method: string, url: string): EndpointClass {
      for (let i = 0; i < trees.length; i++) {
        const tree = trees[i];
        if (tree !== undefined && url.startsWith(tree.start)) return tree.found;
      }
      return find(method, url);
    },
    /** The first name of the path where endpoints have it; `other` for everything else, so that the families are few. */
    familyOf(url: string): string {
      const name = /^\/([^/?]+)/.exec(withoutPrefix(url))?.[1] ?? '*';
      return name !== '*' && families.has(name) ? name : 'other';
    },
    withoutPrefix,
    /** The methods that endpoints have, HEAD among them. */
    methods: METHODS.filter((method) => endpoints.some((one) => one.method === method)).flatMap((method) =>
      method === 'GET' ? ['GET', 'HEAD'] : [method],
    ),
  };
}

const isWildcard = (name: string) => name === '*' || name.startsWith(':');

/** A path of the router, and the classes of its endpoints. */
interface Place {
  /** The names between the slashes of its path. */
  names: readonly string[];
  classes: ReadonlyMap<string, EndpointClass>;
  /** The class of methods that it does not have. */
  otherwise: EndpointClass;
}

/** The most specific ones come first. */
function placesOf(endpoints: readonly Endpoint[]): Place[] {
  const places = [...byPath(routesOf(endpoints))].map(([path, here]): Place => {
    const classes = new Map<string, EndpointClass>();
    for (const endpoint of here) {
      classes.set(endpoint.method, classOf(endpoint));
      if (endpoint.method === 'GET') classes.set('HEAD', classOf(endpoint));
    }
    // Whoever asks for a public path in a wrong way is treated as everybody there. A path that takes the rest is nobody's.
    const open = path === '/*' ? undefined : here.find(({ access }) => access === 'public' || access === 'signed');
    return { names: path.split('/'), classes, otherwise: open ? classOf(open) : ORDINARY };
  });
  const wildcards = (place: Place) => place.names.filter(isWildcard).length;
  const isTree = (place: Place) => Number(place.names.at(-1) === '*');
  return places.toSorted(
    (one, other) =>
      isTree(one) - isTree(other) || other.names.length - one.names.length || wildcards(one) - wildcards(other),
  );
}

/** What strangers may ask for within the limit, and what a signature opens, is for the pages of every site. */
function classOf({ access, limit }: Endpoint): EndpointClass {
  const isCounted = limit === 'public';
  const isOpen = access === 'signed' || (access === 'public' && isCounted);
  return CLASSES.find((one) => one.isCounted === isCounted && one.isOpen === isOpen) ?? ORDINARY;
}

/** Whether the names of a path fit those of a place. The bare name of a tree belongs to it. */
function fits(place: readonly string[], names: readonly string[]): boolean {
  if (place.at(-1) !== '*' && place.length !== names.length) return false;
  return place.every((name, at) => name === '*' || (name.startsWith(':') ? Boolean(names[at]) : name === names[at]));
}

/** The trees in which every request is of the same class: how a request line begins is all that has to be known of it. */
function treesOf(places: readonly Place[]): { start: string; found: EndpointClass }[] {
  const classesOf = ({ classes, otherwise }: Place) => [...classes.values(), otherwise];
  const uniform = places.filter((tree) => {
    if (tree.names.at(-1) !== '*' || tree.names.length < 3) return false;
    const within = places.filter(({ names }) => fits(tree.names, names));
    return within.flatMap(classesOf).every((one) => one === tree.otherwise);
  });
  return ['', PREFIX].flatMap((prefix) =>
    uniform.map(({ names, otherwise }) => ({ start: `${prefix}${names.slice(0, -1).join('/')}/`, found: otherwise })),
  );
}

/**
 * Makes the function that takes from a request target what the router does not know: its origin and the prefix `/api`. Endpoints that
 * are declared below `/api` answer there only; every other one answers with and without it.
 */
function createPrefixRemover(places: readonly Place[]): (url: string) => string {
  const own = new Set(places.filter(({ names }) => names[1] === 'api').map(({ names }) => names[2]));
  return (url) => {
    const target = withoutOrigin(url);
    if (!target.startsWith(`${PREFIX}/`)) return target;
    const rest = target.slice(PREFIX.length);
    return own.has(/^\/([^/?#]*)/.exec(rest)?.[1] ?? '') ? target : rest;
  };
}

/** A request line may hold the whole URL (RFC 9112, 3.2.2); only its path and query matter here. */
function withoutOrigin(url: string): string {
  if (url.startsWith('/')) return url;
  const rest = url.replace(/^https?:\/\/[^/?]*/i, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** The path as the router will understand it. */
function decodePath(url: string): string {
  const path = url.split(/[?#]/, 1)[0] ?? '';
  if (!path.includes('%')) return path;
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
