import { type Command, SERVICE_HELP, SERVICE_OPTIONS, text, UsageError } from './command.ts';
import { namedFiles } from './local-files.ts';
import { quote } from './printable.ts';
import { Report } from './report.ts';
import { sendFiles } from './send.ts';
import { serviceOf } from './service.ts';

const WAYS = ['rename', 'skip', 'error'];

export const upload: Command = {
  help: `darkroom upload <files or folders...>

Sends files into the library. A folder goes with its name and with all that is in it, but for links and for what begins with a dot.
The path and the URL of each new file go to the standard output.

  --folder <path>                  where to; the root by default
  --existing rename|skip|error     what becomes of a file whose name is taken: it gets a number (the default), is left out if it
                                   has the same bytes, or is refused
  --json                           an object for each file, in a line of its own: {file, status, path, url} or {file, status, error};
                                   status is "new", "same" or "failed"
${SERVICE_HELP}

Needs DARKROOM_KEY with the permission "upload".`,
  options: {
    ...SERVICE_OPTIONS,
    folder: { type: 'string' },
    existing: { type: 'string' },
    json: { type: 'boolean' },
  },
  async run(names, values, env) {
    if (names.length === 0) throw new UsageError('Expected files or folders, received nothing.');
    const existing = text(values.existing) ?? 'rename';
    if (!WAYS.includes(existing)) {
      throw new UsageError(`Expected rename, skip or error after --existing, received ${quote(existing)}.`);
    }
    const service = serviceOf(values, env);
    const files = await namedFiles(names);
    const report = new Report(files, values.json === true);
    const options = { folder: text(values.folder) ?? '', existing };
    await sendFiles(service, files, options, (outcome, size) => report.add(outcome, size));
    return report.end();
  },
};
