// Replaces `sign` in browsers: nothing to import, so that a page that would sign does not even bundle.
throw new Error('darkroom-client/sign is for servers: whoever has the secret can sign anything.');

export {};
