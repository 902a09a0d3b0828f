import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** Three bytes for each pixel. */
export const BGR = 2;
/** Red comes first. Not so that letters have coloured edges. */
export const RED_FIRST = 0x10;
/** Comments are drawn. Fields are not among them. */
export const ANNOTATIONS = 0x01;
/** Size of the structure with PDFium's callbacks for fields, which are not used: the largest, of version 2. */
export const FORM_INFO = { bytes: 256, version: 2 };
/** Of `_FPDF_GetLastError`. */
export const PASSWORD_ERROR = 4;
export const SECURITY_ERROR = 5;

/** The functions of PDFium in use (fpdfview.h). Documents, pages and bitmaps are addresses in its memory; 0 is none. */
export interface Pdfium {
  HEAPU8: Uint8Array;
  _malloc(bytes: number): number;
  _free(at: number): void;
  _FPDF_InitLibrary(): void;
  /** The bytes have to stay where they are. */
  _FPDF_LoadMemDocument(data: number, size: number, password: number): number;
  _FPDF_GetLastError(): number;
  _FPDF_GetPageCount(document: number): number;
  _FPDF_LoadPage(document: number, index: number): number;
  /** In points, with the rotation of the page. */
  _FPDF_GetPageWidthF(page: number): number;
  _FPDF_GetPageHeightF(page: number): number;
  _FPDFBitmap_CreateEx(width: number, height: number, format: number, data: number, stride: number): number;
  /** Its pixels stay where they are. */
  _FPDFBitmap_Destroy(bitmap: number): void;
  _FPDFBitmap_FillRect(
    ...area: [bitmap: number, left: number, top: number, width: number, height: number, argb: number]
  ): void;
  _FPDF_RenderPageBitmap(...target: [bitmap: number, page: number, ...Target]): void;
  /** Returns 0 without form fields. */
  _FPDFDOC_InitFormFillEnvironment(document: number, info: number): number;
  _FORM_OnAfterLoadPage(page: number, form: number): void;
  _FPDF_FFLDraw(...target: [form: number, bitmap: number, page: number, ...Target]): void;
}

/** Position, size and rotation of a page. */
type Target = [left: number, top: number, width: number, height: number, turn: number, flags: number];

interface Loading {
  print(text: string): void;
  printErr(text: string): void;
  instantiateWasm(imports: object, done: (instance: object, code: object) => void): object;
}

/** Of the types of browsers, which the service has none of. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>;
  Instance: new (code: object, imports: object) => object;
};

let compiled: Promise<object> | undefined;

/** An instance of PDFium for one document: its memory is freed with it, and a crashed one is not used again. */
export async function loadPdfium(): Promise<Pdfium> {
  const { PDFiumModule } = await import('@hyzyla/pdfium');
  compiled ??= readFile(fileURLToPath(import.meta.resolve('@hyzyla/pdfium/pdfium.wasm'))).then(WebAssembly.compile);
  const code = await compiled;
  const load = PDFiumModule as unknown as (loading: Loading) => Promise<Pdfium>;
  const pdfium = await load({
    // Of what is wrong with a file it speaks by error codes as well.
    print: () => undefined,
    printErr: () => undefined,
    instantiateWasm: (imports, done) => {
      done(new WebAssembly.Instance(code, imports), code);
      return {};
    },
  });
  pdfium._FPDF_InitLibrary();
  return pdfium;
}
