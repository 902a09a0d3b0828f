import packageFile from '../../../package.json' with { type: 'json' };
import { Html, html } from './html.ts';
import type { Page } from './layout.ts';

const EXAMPLE = 'w_400,h_300,c_fill,f_webp';

/** The page at the bare address. @param base the address of the service, without a slash at its end */
export function welcomePage(base: string): Page {
  return {
    title: 'Darkroom',
    style: STYLE,
    body: html`<header>${MARK}<h1>Darkroom <small>${packageFile.version}</small></h1></header>
<p class="lead">The service is running. Upload a picture or a video once; every page then asks for exactly the one that it needs, through the URL.</p>
${PRINTS}
<h2>Try it</h2>
<p>Upload a photo of yours. The key was printed when the service first started.</p>
<pre>curl -H "Authorization: Bearer $KEY" -F files=@photo.jpg ${base}/upload</pre>
<p>Then open it in the size and the format that you want. Change the numbers, and it is another picture.</p>
<pre>${base}/t/<b>${EXAMPLE.split(/(?<=,)/).map((part) => html`${part}<wbr>`)}</b>/photo.jpg</pre>
<h2>Read on</h2>
<ul class="links">
<li><a href="/api/docs">API reference</a>Every endpoint, what it takes and what it answers.
<li><a href="/api/openapi.json">OpenAPI document</a>The same for programs, and to generate clients from.
<li><a href="/limits">Limits</a>What this service accepts and makes, and which setting says so.
</ul>`,
  };
}

/** The logo: a sheet of paper in the tray, under the red light. */
const MARK = new Html(
  '<svg class="mark" viewBox="0 0 40 40" aria-hidden="true"><rect width="40" height="40" rx="9"/><path d="M8 27.5 15.5 17l5.5 7 4-4.5 7 8z"/><circle cx="26.5" cy="13" r="3.2"/></svg>',
);

/** A scene that is drawn once and cropped three times, as the service would do it. */
const SCENE = `<symbol id="scene" viewBox="0 0 320 200" preserveAspectRatio="xMidYMid slice">
<path class="sky" d="M-200-200h800v600h-800z"/><circle class="sun" cx="184" cy="62" r="24"/>
<path class="far" d="M-200 250 20 96l66 60 54-44 80 66 60-40 320 220v100h-800z"/><path class="near" d="M-200 300 60 150l70 42 86-62 384 240v100h-800z"/></symbol>`;

const print = (width: number, height: number, segment: string, shape = '') =>
  `<div class="print"><svg width="${width}" height="${height}" aria-hidden="true"${shape}><use href="#scene" width="${width}" height="${height}"/></svg><code>${segment}</code></div>`;

const PRINTS = new Html(
  `<svg class="source" aria-hidden="true">${SCENE}</svg><div class="prints">${[
    print(208, 130, 'w_208'),
    print(90, 130, 'w_90,h_130,c_fill'),
    print(130, 130, 'w_130,h_130,r_max', ' class="round"'),
  ].join('')}</div>`,
);

const STYLE = `
header { display: flex; gap: 0.9rem; align-items: center; }
.mark { width: 2.75rem; height: 2.75rem; flex: none; }
.mark rect { fill: var(--accent); }
.mark path, .mark circle { fill: light-dark(#fff, #2a0d09); }
.source { position: absolute; width: 0; height: 0; }
.lead { margin: 1.25rem 0 1.75rem; font-size: 1.2rem; line-height: 1.5; }
.prints { display: flex; flex-wrap: wrap; gap: 1.25rem; align-items: end; }
.print { display: grid; gap: 0.6rem; justify-items: start; }
.print svg { padding: 0; border-radius: 3px; box-shadow: 0 0 0 6px var(--card), 0 0 0 7px var(--line), 0 6px 18px light-dark(#0002, #0008); margin: 7px; }
.print svg.round { border-radius: 50%; }
.print code { color: var(--quiet); margin-left: 7px; font-size: 0.8rem; }
.sky { fill: light-dark(#f6d9b8, #3a2230); }
.sun { fill: light-dark(#e4572e, #ff8f6b); }
.far { fill: light-dark(#8f6f86, #6b4a66); }
.near { fill: light-dark(#3d3450, #251b33); }
pre b { color: var(--accent); font-weight: 600; }
.links { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: 0.9rem; padding: 0; margin: 0; list-style: none; }
.links li { padding: 0.9rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: 0.5rem; color: var(--quiet); font-size: 0.95rem; }
.links a { display: block; margin-bottom: 0.15rem; font-size: 1rem; font-weight: 600; }
`;
