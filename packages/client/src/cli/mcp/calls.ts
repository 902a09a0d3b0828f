import { Failure, UsageError } from '../command.ts';
import { plain, quote } from '../printable.ts';
import { type Fields, isObject, RpcError } from './json-rpc.ts';
import { problemOf } from './schema.ts';
import type { Content, Tool } from './tool.ts';

/** Longer texts are no help to an assistant. */
const MAX_TEXT = 100_000;

interface CallResult {
  content: readonly Content[];
  isError?: true;
}

/** Lists the tools for `tools/list`. */
export function toolEntries(tools: readonly Tool[], signal: AbortSignal): Promise<object[]> {
  return Promise.all(tools.map((tool) => entryOf(tool, signal)));
}

async function entryOf(tool: Tool, signal: AbortSignal): Promise<object> {
  const { name, title, description, annotations } = tool;
  return { name, title, description, annotations, inputSchema: (await tool.describe?.(signal)) ?? tool.inputSchema };
}

/**
 * Calls a tool. Its failure is a result, so that the assistant reads it.
 * @throws RpcError for an unknown tool, and for an invalid call
 */
export async function callTool(
  tools: readonly Tool[],
  { name, arguments: args = {} }: Fields,
  signal: AbortSignal,
): Promise<CallResult> {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) throw new RpcError('invalidParams', `Unknown tool: ${quote(String(name))}`);
  if (!isObject(args)) throw new RpcError('invalidParams', 'Expected an object as "arguments".');
  try {
    const problem = problemOf(args, tool.inputSchema, 'arguments');
    if (problem !== undefined) return failed(problem);
    const content = await tool.run(args, signal);
    const isTooLong = content.some((one) => one.type === 'text' && one.text.length > MAX_TEXT);
    return isTooLong ? failed('The answer is too long. Ask for less: "limit" says how many files.') : { content };
  } catch (error) {
    if (signal.aborted) return failed('The service took too long.');
    if (error instanceof Failure || error instanceof UsageError || error instanceof TypeError) {
      return failed(error.message);
    }
    throw error;
  }
}

function failed(text: string): CallResult {
  return { content: [{ type: 'text', text: plain(text) }], isError: true };
}
