import packageFile from '../../../package.json' with { type: 'json' };

/** Introduction of the document, in Markdown. */
export const INTRODUCTION = `${packageFile.description}

## Paths

\`{path}\` is the path of a file below the storage root, with any number of names. Each name is percent-encoded by itself, with a plain \`/\` between them: \`trips/rome%201/a%26b.jpg\`. An encoded slash (\`%2F\`) is 400. Such parameters are marked with \`x-multi-segment\`.

Generated clients encode the whole value, slashes too. No name contains a slash, so all of them can be decoded, once for the whole client. With openapi-fetch:

\`\`\`ts
const plainSlashes: Middleware = {
  onRequest: ({ request }) => new Request(request.url.replaceAll('%2F', '/'), request),
};
client.use(plainSlashes);
\`\`\`

With the fetch client of @hey-api/openapi-ts:

\`\`\`ts
client.interceptors.request.use((request) => new Request(request.url.replaceAll('%2F', '/'), request));
\`\`\`

## Credentials

Send an API key in \`Authorization: Bearer <key>\` or \`x-api-key: <key>\`; each operation names the permission that it needs. The cookie of a session has the permissions of the person's role; requests that change something also need the service's own \`Origin\`. In the examples, \`DARKROOM\` is the address of the service, \`KEY\` a key and \`COOKIE\` that of a session.

## Errors

Errors are JSON, \`{error, message, code}\`: a stable label, a message with what was expected and received, and a stable code for programs. 429 and 503 may carry \`Retry-After\`, in seconds.

## Prefix

Every operation is also available below \`/api\`; those shown with \`/api\` only there.
`;
