/**
 * Node's `http` and `https`, without what `http` loads on first use: an `import` reads all its exports, and among them
 * are those of a second HTTP client (`WebSocket`), which takes 60 ms of each start.
 */
export const http = process.getBuiltinModule('node:http');
export const https = process.getBuiltinModule('node:https');
