import { readFile } from 'node:fs/promises';
import { UndecodableImage } from '@darkroom/image-files/undecodable-image';
import { checkPage } from '../input.ts';
import { roundSize, type Size } from '../layout/geometry.ts';
import type { OpenDocument } from './open-document.ts';
import {
  ANNOTATIONS,
  BGR,
  FORM_INFO,
  loadPdfium,
  PASSWORD_ERROR,
  type Pdfium,
  RED_FIRST,
  SECURITY_ERROR,
} from './pdfium.ts';

const WHITE = 0xffffffff;
const CHANNELS = 3;
/** A side of more is a mistake: it is two kilometres. */
const MAX_POINTS = 6e6;
/**
 * PDFium draws no line thinner than a pixel. At this scale hairlines of a quarter of a point are as thin as they should
 * be.
 */
const LEAST_SCALE = 4;

/**
 * A page of a PDF, drawn by PDFium in WebAssembly: it has no files, no network and no scripts.
 * @throws UndecodableImage, LimitExceeded beyond the last page
 */
export async function openPdf(file: string, page: number): Promise<OpenDocument> {
  const pdfium = await loadPdfium();
  const document = openDocument(pdfium, await readFile(file));
  const count = drawing(() => pdfium._FPDF_GetPageCount(document));
  if (count < 1) throw new UndecodableImage('The PDF has no pages.');
  checkPage(page, count);
  const opened = drawing(() => pdfium._FPDF_LoadPage(document, page - 1));
  if (opened === 0) throw new UndecodableImage(`Page ${page} of the PDF is damaged.`);
  const natural = drawing(() => sizeOf(pdfium, opened));
  const form = drawing(() => openForm(pdfium, document, opened));
  const draw = async (size: Size) => drawing(() => drawPage(pdfium, opened, form, size));
  return { natural, count, leastScale: LEAST_SCALE, draw };
}

function openDocument(pdfium: Pdfium, bytes: Buffer): number {
  return drawing(() => {
    const at = allocate(pdfium, bytes.length);
    pdfium.HEAPU8.set(bytes, at);
    const document = pdfium._FPDF_LoadMemDocument(at, bytes.length, 0);
    if (document !== 0) return document;
    const error = pdfium._FPDF_GetLastError();
    if (error === PASSWORD_ERROR) throw new UndecodableImage('The PDF is encrypted, and opens with a password alone.');
    if (error === SECURITY_ERROR) throw new UndecodableImage('The PDF is encrypted in a way that is not known.');
    throw new UndecodableImage('The PDF is damaged.');
  });
}

/** A point is a pixel. */
function sizeOf(pdfium: Pdfium, page: number): Size {
  const width = pdfium._FPDF_GetPageWidthF(page);
  const height = pdfium._FPDF_GetPageHeightF(page);
  if (!(width > 0 && height > 0 && Number.isFinite(width * height)))
    throw new UndecodableImage('The page has no size.');
  if (Math.max(width, height) > MAX_POINTS) throw new UndecodableImage(`The page is ${width} x ${height} points.`);
  return roundSize({ width, height });
}

/** The fields of a document; 0 without any. Its scripts and actions are not run. */
function openForm(pdfium: Pdfium, document: number, page: number): number {
  const info = allocate(pdfium, FORM_INFO.bytes);
  pdfium.HEAPU8.fill(0, info, info + FORM_INFO.bytes);
  pdfium.HEAPU8[info] = FORM_INFO.version;
  const form = pdfium._FPDFDOC_InitFormFillEnvironment(document, info);
  if (form !== 0) pdfium._FORM_OnAfterLoadPage(page, form);
  return form;
}

function drawPage(pdfium: Pdfium, page: number, form: number, { width, height }: Size) {
  const length = width * height * CHANNELS;
  const at = allocate(pdfium, length);
  const bitmap = pdfium._FPDFBitmap_CreateEx(width, height, BGR, at, width * CHANNELS);
  if (bitmap === 0) throw new UndecodableImage(`The page cannot be drawn at ${width} x ${height}.`);
  pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
  pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, RED_FIRST | ANNOTATIONS);
  if (form !== 0) pdfium._FPDF_FFLDraw(form, bitmap, page, 0, 0, width, height, 0, RED_FIRST);
  const data = pdfium.HEAPU8.slice(at, at + length);
  // It may be drawn again at another size.
  pdfium._FPDFBitmap_Destroy(bitmap);
  pdfium._free(at);
  return { data, width, height, channels: CHANNELS } as const;
}

function allocate(pdfium: Pdfium, bytes: number): number {
  const at = pdfium._malloc(bytes);
  if (at === 0) throw new UndecodableImage('The PDF needs more memory than there is.');
  return at;
}

/** A crash of PDFium is the fault of the file. */
function drawing<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof UndecodableImage) throw cause;
    throw new UndecodableImage('The PDF is damaged.', { cause });
  }
}
