import { attributeText } from '../../components/markup.ts';
import { frameOf, isAudioOnly, playlistTypeOf } from '../segment.ts';
import { expanded, type Use, urlOfUse } from './use.ts';

/** Player markup for a transcode. */
export function playerOf(use: Use): string {
  const { listing } = use;
  const source = urlOfUse(use);
  const segment = expanded(use);
  if (isAudioOnly(segment, listing))
    return `<audio\n  src="${attributeText(source)}"\n  controls preload="none"\n></audio>`;
  const poster = urlOfUse({ ...use, segment: frameOf(segment, listing) });
  const type = playlistTypeOf(segment, listing);
  if (type !== undefined) return type.endsWith('dash+xml') ? dashOf(source, poster, type) : hlsOf(source, poster);
  return `<video\n  src="${attributeText(source)}"\n  poster="${attributeText(poster)}"\n  controls playsinline preload="none"\n></video>`;
}

/** Safari plays HLS natively, others need hls.js. */
function hlsOf(source: string, poster: string): string {
  return [
    `<video id="film" poster="${attributeText(poster)}" controls playsinline preload="none"></video>`,
    '<script type="module">',
    '  import Hls from "hls.js";',
    `  const source = ${JSON.stringify(source)};`,
    '  const film = document.querySelector("#film");',
    '  if (Hls.isSupported()) {',
    '    const hls = new Hls({ autoStartLoad: false });',
    '    hls.loadSource(source);',
    '    hls.attachMedia(film);',
    '    film.addEventListener("play", () => hls.startLoad(), { once: true });',
    '  } else film.src = source;',
    '</script>',
  ].join('\n');
}

/** No browser plays DASH natively. */
function dashOf(source: string, poster: string, type: string): string {
  return [
    `<video id="film" poster="${attributeText(poster)}" controls playsinline></video>`,
    '<script type="module">',
    '  import shaka from "shaka-player";',
    '  shaka.polyfill.installAll();',
    '  const player = new shaka.Player();',
    '  await player.attach(document.querySelector("#film"));',
    `  await player.load(${JSON.stringify(source)}, null, ${JSON.stringify(type)});`,
    '</script>',
  ].join('\n');
}
