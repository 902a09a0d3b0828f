import type { HeldImage } from '../step.ts';

interface Plane {
  data: Float32Array;
  width: number;
  height: number;
}

const WINDOW = 8;
const STRIDE = 4;
const C1 = (0.01 * 255) ** 2;
const C2 = (0.03 * 255) ** 2;

/** Luma carries most of what the eye sees; the blue and red differences keep coloured edges honest. */
const PLANE_WEIGHTS = [0.8, 0.1, 0.1];

/** The eye needs about twice the contrast to see a change of colour, so a chroma plane counts at half its contrast. */
const CHROMA_CONTRAST = 0.5;

/**
 * Finest first, from "Multiscale structural similarity" (Wang, Simoncelli, Bovik, 2003), cut to three and scaled to 1.
 */
const SCALE_WEIGHTS = [0.07, 0.41, 0.52];

/**
 * Multi-scale structural similarity of two images of one size: 1 for equal images, falling to 0.
 * Transparent pixels count as grey, so that invisible colours do not matter.
 */
export function similarity(original: HeldImage, copy: HeldImage): number {
  const copies = planes(copy);
  const scores = planes(original).map((plane, index) => planeSimilarity(plane, copies[index] ?? plane));
  return weigh(scores, PLANE_WEIGHTS);
}

function planeSimilarity(original: Plane, copy: Plane): number {
  const scores: number[] = [];
  let a = original;
  let b = copy;
  for (const _ of SCALE_WEIGHTS) {
    scores.push(structuralSimilarity(a, b));
    a = half(a);
    b = half(b);
  }
  return weigh(scores, SCALE_WEIGHTS);
}

/** Mean SSIM over square windows, from "Image quality assessment" (Wang and others, 2004), with flat windows. */
function structuralSimilarity(a: Plane, b: Plane): number {
  const right = Math.max(0, a.width - WINDOW);
  const bottom = Math.max(0, a.height - WINDOW);
  let sum = 0;
  let count = 0;
  for (let y = 0; y <= bottom; y += STRIDE) {
    for (let x = 0; x <= right; x += STRIDE) {
      sum += windowSimilarity(a, b, x, y);
      count++;
    }
  }
  return sum / count;
}

function windowSimilarity(a: Plane, b: Plane, left: number, top: number): number {
  const right = Math.min(left + WINDOW, a.width);
  const bottom = Math.min(top + WINDOW, a.height);
  let sumA = 0;
  let sumB = 0;
  let squareA = 0;
  let squareB = 0;
  let product = 0;
  for (let y = top; y < bottom; y++) {
    for (let i = y * a.width + left; i < y * a.width + right; i++) {
      const p = a.data[i] as number;
      const q = b.data[i] as number;
      sumA += p;
      sumB += q;
      squareA += p * p;
      squareB += q * q;
      product += p * q;
    }
  }
  const n = (right - left) * (bottom - top);
  const meanA = sumA / n;
  const meanB = sumB / n;
  const variances = squareA / n - meanA * meanA + squareB / n - meanB * meanB;
  const covariance = product / n - meanA * meanB;
  return ((2 * meanA * meanB + C1) * (2 * covariance + C2)) / ((meanA * meanA + meanB * meanB + C1) * (variances + C2));
}

/** Luma, blue and red difference (BT.601), within 0 to 255. */
function planes({ data, width, height, channels }: HeldImage): Plane[] {
  const emptyPlane = () => ({ data: new Float32Array(width * height), width, height });
  const luma = emptyPlane();
  const blue = emptyPlane();
  const red = emptyPlane();
  const hasAlpha = channels === 4 || channels === 2;
  const step = channels < 3 ? 0 : 1;
  for (let i = 0, at = 0; i < width * height; i++, at += channels) {
    const alpha = hasAlpha ? (data[at + channels - 1] as number) / 255 : 1;
    const seen = (offset: number) => (data[at + offset * step] as number) * alpha + 128 * (1 - alpha);
    const r = seen(0);
    const g = seen(1);
    const b = seen(2);
    const y = 0.299 * r + 0.587 * g + 0.114 * b;
    luma.data[i] = y;
    blue.data[i] = 128 + CHROMA_CONTRAST * 0.564 * (b - y);
    red.data[i] = 128 + CHROMA_CONTRAST * 0.713 * (r - y);
  }
  return [luma, blue, red];
}

function half({ data, width, height }: Plane): Plane {
  const w = Math.max(1, width >> 1);
  const h = Math.max(1, height >> 1);
  const smaller = new Float32Array(w * h);
  for (let y = 0; y < h; y++) {
    for (let x = 0; x < w; x++) {
      const x1 = Math.min(2 * x + 1, width - 1);
      const y1 = Math.min(2 * y + 1, height - 1);
      const pair = (row: number) => (data[row * width + 2 * x] as number) + (data[row * width + x1] as number);
      smaller[y * w + x] = (pair(2 * y) + pair(y1)) / 4;
    }
  }
  return { data: smaller, width: w, height: h };
}

function weigh(values: readonly number[], weights: readonly number[]): number {
  return values.reduce((sum, value, index) => sum + value * (weights[index] ?? 0), 0);
}
