import { nameOf } from '../../api/paths.ts';
import type { Answers } from '../../api/types.ts';
import { formatBytes } from '../../components/format.ts';
import { messages } from '../../messages/en.ts';
import type { ChosenFile } from './chosen-files.ts';

/** Limits of uploads, here: in the library or in a space. */
export interface UploadLimits {
  fileBytes: number;
  /** Name of what sets `fileBytes`: a variable, or `maxFileBytes` of the space. */
  fileSetting: string;
  /** Accepted extensions in lower case. */
  extensions: ReadonlySet<string>;
  filesPerRequest: number;
  /** True in a space, whose rules may refuse types too. */
  isOfSpace: boolean;
}

/** A file that would be refused. */
export interface LeftOut extends ChosenFile {
  leftOut: string;
}

/** Extensions that `EXTRA_TYPES` can accept, by its values. */
const EXTRA_TYPES: Readonly<Record<string, string>> = { svg: 'svg', pdf: 'pdf', tif: 'tiff', tiff: 'tiff' };

export function uploadLimitsOf({ limits, extensions }: Answers['getLimits'], isOfSpace: boolean): UploadLimits {
  const find = (wanted: string) => limits.find(({ name }) => name === wanted);
  return {
    fileBytes: find('upload file')?.bytes ?? Number.POSITIVE_INFINITY,
    fileSetting: find('upload file')?.setting ?? '',
    extensions: new Set(extensions),
    filesPerRequest: find('upload files')?.value ?? Number.POSITIVE_INFINITY,
    isOfSpace,
  };
}

/** Separates files that the service would refuse by their name or size, each with the reason. */
export function judgeFiles(
  files: readonly ChosenFile[],
  limits: UploadLimits,
): { fitting: readonly ChosenFile[]; leftOut: readonly LeftOut[] } {
  const fitting: ChosenFile[] = [];
  const leftOut: LeftOut[] = [];
  for (const one of files) {
    const reason = reasonAgainst(one, limits);
    if (reason === undefined) fitting.push(one);
    else leftOut.push({ ...one, leftOut: reason });
  }
  return { fitting, leftOut };
}

function reasonAgainst({ file, name }: ChosenFile, limits: UploadLimits): string | undefined {
  const { leftOut } = messages.uploads;
  const extension = extensionOf(name);
  if (!limits.extensions.has(extension)) {
    const extra = limits.isOfSpace ? undefined : EXTRA_TYPES[extension];
    return extra === undefined ? leftOut.type(extension) : leftOut.extraType(extra);
  }
  if (file.size === 0) return leftOut.empty;
  if (file.size <= limits.fileBytes) return undefined;
  const most = formatBytes(limits.fileBytes);
  return limits.fileSetting === 'maxFileBytes'
    ? leftOut.tooLargeForSpace(most)
    : leftOut.tooLarge(most, limits.fileSetting);
}

function extensionOf(name: string): string {
  const last = nameOf(name);
  return last.includes('.') ? last.slice(last.lastIndexOf('.') + 1).toLowerCase() : '';
}
