import sharp from 'sharp';

/** Drawn images: the screenshots of the README contain no third-party material. */
interface Landscape {
  name: string;
  /** Sky from top to horizon, then hills from far to near. */
  sky: readonly [string, string];
  hills: readonly string[];
  sun?: { x: number; y: number; radius: number; colour: string };
  /** Roughness of the hills; 0 is a sea. */
  roughness: number;
}

const WIDTH = 1500;
const HEIGHT = 1000;
const STEP = 15;

const LANDSCAPES: readonly Landscape[] = [
  {
    name: 'alpine-morning',
    sky: ['#5d8fc4', '#fbe3c8'],
    roughness: 1,
    hills: ['#b9c6d6', '#8aa0b8', '#5a7692', '#33506b', '#182c3f'],
    sun: { x: 1080, y: 420, radius: 70, colour: '#fff3d6' },
  },
  {
    name: 'desert-dusk',
    sky: ['#5b2a62', '#ff9d5c'],
    roughness: 0.45,
    hills: ['#d9734e', '#b9523f', '#8c3737', '#5b2430', '#331521'],
    sun: { x: 470, y: 430, radius: 110, colour: '#ffd27a' },
  },
  {
    name: 'fjord',
    sky: ['#9cc4cf', '#eef4ee'],
    roughness: 0.85,
    hills: ['#a7c3c4', '#7aa3a4', '#4f8084', '#2c5c63', '#123a42'],
  },
  {
    name: 'harvest',
    sky: ['#79b4e3', '#fff1cf'],
    roughness: 0.3,
    hills: ['#c5cf8a', '#dcc25e', '#c79a3c', '#9d742c', '#5f4a1f'],
    sun: { x: 1180, y: 260, radius: 60, colour: '#fffbe8' },
  },
  {
    name: 'midnight-lake',
    sky: ['#0b1030', '#35427d'],
    roughness: 0.6,
    hills: ['#3a4a86', '#2a3769', '#1d2750', '#121a3a', '#080d22'],
    sun: { x: 980, y: 250, radius: 55, colour: '#f4f1de' },
  },
  {
    name: 'northern-coast',
    sky: ['#cfe3ee', '#fdf6ec'],
    roughness: 0.15,
    hills: ['#a9cbd8', '#7fb0c4', '#4f8ca8', '#2a6587', '#0f3f5e'],
    sun: { x: 330, y: 330, radius: 75, colour: '#ffe9b8' },
  },
  {
    name: 'orchard',
    sky: ['#a7d7c5', '#fef6d8'],
    roughness: 0.35,
    hills: ['#b6d49a', '#8dbb72', '#5f9a55', '#3c743f', '#1f4a2b'],
  },
  {
    name: 'red-canyon',
    sky: ['#7ec3df', '#fde8d2'],
    roughness: 0.9,
    hills: ['#e3a27e', '#cf7b55', '#ac5638', '#7d3624', '#4a1d16'],
  },
  {
    name: 'snowfield',
    sky: ['#b7c7df', '#fbfbff'],
    roughness: 0.5,
    hills: ['#dfe7f2', '#c9d6e8', '#aebfda', '#8ba2c4', '#5f7ba4'],
    sun: { x: 760, y: 300, radius: 65, colour: '#ffffff' },
  },
  {
    name: 'violet-hour',
    sky: ['#2d2156', '#e58fb1'],
    roughness: 0.7,
    hills: ['#a56a9f', '#7d4d8b', '#573573', '#382257', '#1e1238'],
    sun: { x: 620, y: 470, radius: 90, colour: '#ffd9c9' },
  },
];

/** Landscapes as JPEG by name; deterministic. */
export async function drawLandscapes(): Promise<Record<string, Buffer>> {
  const drawn = LANDSCAPES.map(async (one, at) => {
    const bytes = await sharp(Buffer.from(draw(one, at + 1)))
      .jpeg({ quality: 88 })
      .toBuffer();
    return [`${one.name}.jpg`, bytes] as const;
  });
  return Object.fromEntries(await Promise.all(drawn));
}

function draw({ sky, hills, sun, roughness }: Landscape, seed: number): string {
  const [above, horizon] = sky;
  const ridges = hills.map((colour, at) => {
    const base = HEIGHT * (0.46 + (0.42 * at) / (hills.length - 1));
    const height = roughness * (230 - at * 28) + 12;
    return `<path fill="${colour}" d="${ridge(base, height, seed * 7.3 + at * 2.7)}"/>`;
  });
  const glow = sun
    ? `<radialGradient id="glow"><stop stop-color="${sun.colour}" stop-opacity=".75"/><stop offset="1" stop-color="${sun.colour}" stop-opacity="0"/></radialGradient>`
    : '';
  const disc = sun
    ? `<circle cx="${sun.x}" cy="${sun.y}" r="${sun.radius * 5}" fill="url(#glow)"/><circle cx="${sun.x}" cy="${sun.y}" r="${sun.radius}" fill="${sun.colour}"/>`
    : '';
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">
<defs><linearGradient id="sky" x2="0" y2="1"><stop stop-color="${above}"/><stop offset=".7" stop-color="${horizon}"/></linearGradient>${glow}</defs>
<rect width="100%" height="100%" fill="url(#sky)"/>${disc}${ridges.join('')}</svg>`;
}

/** Outline of hills: a sum of waves whose lengths are no multiples of each other. */
function ridge(base: number, height: number, phase: number): string {
  const points: string[] = [];
  for (let x = 0; x <= WIDTH; x += STEP) {
    const at = x / WIDTH;
    const wave =
      Math.sin(at * 5.1 + phase) * 0.55 +
      Math.sin(at * 11.7 + phase * 1.9) * 0.28 +
      Math.abs(Math.sin(at * 23.3 + phase * 3.1)) * 0.22 +
      Math.sin(at * 61.9 + phase * 5.3) * 0.05;
    points.push(`${x} ${(base - wave * height).toFixed(1)}`);
  }
  return `M0 ${HEIGHT} L${points.join(' L')} L${WIDTH} ${HEIGHT}Z`;
}
