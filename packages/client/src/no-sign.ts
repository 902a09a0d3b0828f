// What browsers find in the place of `sign`: nothing to import, so that a page that would sign is not even bundled.
throw new Error('darkroom-client/sign is for servers: whoever has the secret can sign anything.');

export {};
