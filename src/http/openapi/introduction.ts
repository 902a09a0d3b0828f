import packageFile from '../../../package.json' with { type: 'json' };

/** Introduction of the document, in Markdown. */
export const INTRODUCTION = `${packageFile.description}

## Paths

\`{path}\` is the path of a file below the storage root and has as many names as it needs. Each name is percent-encoded by itself, with a plain \`/\` between them: \`trips/rome%201/a%26b.jpg\`. An encoded slash (\`%2F\`) is 400. Such parameters are marked with \`x-multi-segment\`.

Generated clients encode the whole value, slashes too. No name contains a slash, so they may all be turned back, once for the whole client. With openapi-fetch:

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

An API key goes into \`Authorization: Bearer <key>\` or \`x-api-key: <key>\`; each operation names the permission that it needs. The cookie of the admin's session may do everything; what changes something needs our own \`Origin\` besides.

## Errors

Errors are JSON, \`{error, message, code}\`: a stable label, what was expected and received, and a stable code for programs. 429 and 503 may carry \`Retry-After\`, in seconds.

## Prefix

Every operation also answers below \`/api\`; those that are shown with \`/api\` answer there only.
`;
