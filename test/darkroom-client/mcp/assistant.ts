import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';
import { COMPILED } from '../../processes.ts';
import { ROOT } from '../../source-files.ts';

/** Command with which an assistant starts the server. */
export const COMMAND = [process.execPath, join(ROOT, 'packages', 'client', 'src', 'cli', 'main.ts'), 'mcp'] as const;

export interface Result {
  isError?: boolean;
  content: { type: string; text?: string; data?: string; mimeType?: string }[];
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  annotations: Record<string, boolean>;
  inputSchema: {
    type: string;
    required?: string[];
    properties: Record<string, { properties?: Record<string, unknown> }>;
  };
}

interface Client {
  connect(transport: object): Promise<void>;
  close(): Promise<void>;
  ping(): Promise<unknown>;
  listTools(): Promise<{ tools: Tool[] }>;
  callTool(call: object, options?: { signal?: AbortSignal }): Promise<Result>;
  getNegotiatedProtocolVersion(): string;
  getServerVersion(): object;
  getInstructions(): string;
}

interface Packages {
  Client: new (info: object, options: object) => Client;
  StdioClientTransport: new (server: object) => object;
}

/**
 * Connects the official client to a server that it starts.
 * @param mode `legacy` begins with a handshake, `auto` negotiates the protocol
 */
export async function connect(mode: 'legacy' | 'auto', env: Record<string, string>): Promise<Client> {
  const { folder } = inject('mcp') as { folder: string };
  const dist = join(folder, 'node_modules', '@modelcontextprotocol', 'client', 'dist');
  const load = (name: string) => import(pathToFileURL(join(dist, name)).href);
  const { Client, StdioClientTransport } = { ...(await load('index.mjs')), ...(await load('stdio.mjs')) } as Packages;
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  const [command, ...args] = COMMAND;
  await client.connect(new StdioClientTransport({ command, args, env: { ...COMPILED, ...env } }));
  return client;
}

export type { Client };
