import { readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './source-files.ts';

/** Names with an underscore that a library documents. */
const DOCUMENTED = [
  // Emscripten exports the functions of a C library with one.
  /\bpdfium\._/,
  // The splat parameter of a path in TanStack Router.
  /\b_splat\b/,
  // Metadata of results in the Model Context Protocol.
  /\b_meta: \{/,
];

/** A field of an own object with the name of a Node method. */
const OWN = /\btrack\.end = /;

const sources = ['src', 'packages', 'web/src', 'scripts'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|tsx|mjs|js)$/.test(name) && !/node_modules|\bdist\b|\.test\.tsx?$/.test(name))
    .map((name) => join(folder, name)),
);

function linesWith(isFound: (line: string) => boolean): string[] {
  return sources.flatMap((file) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (isFound(line) ? [`${file}:${index + 1} ${line.trim()}`] : [])),
  );
}

/** Methods of Node's servers, connections and messages, inherited ones included. */
function methodsOfNode(): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { prototype } of [http.Server, http.IncomingMessage, http.ServerResponse]) {
    for (let owner: object = prototype; owner !== Object.prototype; owner = Object.getPrototypeOf(owner)) {
      for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
        if (typeof value === 'function' && name !== 'constructor') names.add(name);
      }
    }
  }
  return names;
}

test('finds the sources', () => {
  expect(sources.length).toBeGreaterThan(800);
});

test('no source uses a property of another object that begins with an underscore', () => {
  const property = /(?<!\bthis)\??\._[a-zA-Z]|\w\[['"`]_[a-zA-Z]|[{,]\s*_[a-zA-Z]\w*\??:/;
  expect(linesWith((line) => property.test(line) && !DOCUMENTED.some((name) => name.test(line)))).toEqual([]);
});

test('no source replaces a method of a server, a connection, a request or a response', () => {
  const methods = methodsOfNode();
  const changed = /(?<!\bthis)\.(\w+) = |\bdelete [\w.]+\.(\w+)/g;
  const indirectly = /\bReflect\.(set|deleteProperty|defineProperty)\(|\.prototype(\.\w+|\[[^\]]+\]) = /;
  const replaces = (line: string) =>
    indirectly.test(line) ||
    (!OWN.test(line) && [...line.matchAll(changed)].some(([, set = '', deleted]) => methods.has(deleted ?? set)));
  expect(methods).toContain('writeHead');
  expect(methods).toContain('setTimeout');
  expect(linesWith(replaces)).toEqual([]);
});
