import { type Command, SERVICE_HELP, SERVICE_OPTIONS, UsageError } from './command.ts';
import { serve } from './mcp/serve.ts';
import { getFile } from './mcp/tools/get-file.ts';
import { listFiles, searchFiles } from './mcp/tools/list-files.ts';
import { transformUrl } from './mcp/tools/transform-url.ts';
import { uploadUrl } from './mcp/tools/upload-url.ts';
import { serviceOf } from './service.ts';

export const mcp: Command = {
  help: `darkroom mcp [--url <url>]

Gives an assistant five tools: list_files, search_files, get_file, transform_url and upload_url. It speaks the Model Context Protocol
over its standard input and output, is started by the program that the assistant runs in, and ends when its input does. Nothing is
deleted or overwritten.

${SERVICE_HELP}

Needs DARKROOM_KEY with the permission "read", and "upload" for upload_url.`,
  options: SERVICE_OPTIONS,
  async run(names, values, env) {
    if (names.length > 0) throw new UsageError('Expected nothing after "mcp".');
    const service = serviceOf(values, env);
    const tools = [listFiles, searchFiles, getFile, transformUrl, uploadUrl].map((toolOf) => toolOf(service));
    await serve(tools, process.stdin, process.stdout);
    return true;
  },
};
