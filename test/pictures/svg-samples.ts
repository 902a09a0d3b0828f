const NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';

/**
 * Returns an SVG file.
 * @param prologue text before its element
 */
export function svgOf(body: string, attributes = 'width="40" height="30"', prologue = ''): Buffer {
  return Buffer.from(`${prologue}<svg ${NAMESPACES} ${attributes}>${body}</svg>`);
}

/** Returns a drawing of one `use` that expands to many: each group uses the previous one `times` times. */
export function multiplied(depth: number, times: number): Buffer {
  const groups = Array.from({ length: depth }, (_, index) => {
    const uses = `<use xlink:href="#g${index}"/>`.repeat(times);
    return `<g id="g${index + 1}">${uses}</g>`;
  });
  const defs = `<defs><g id="g0"><circle r="30" opacity="0.5"/></g>${groups.join('')}</defs>`;
  return svgOf(`${defs}<use xlink:href="#g${depth}"/>`);
}

/** Returns elements that would paint everything red if their references were read. */
export function references(target: string): Readonly<Record<string, Buffer>> {
  const all = 'width="40" height="30"';
  const pictures = {
    image: `<image ${all} href="${target}"/>`,
    'xlink image': `<image ${all} xlink:href="${target}"/>`,
    use: `<use href="${target}#all"/>`,
    fill: `<rect ${all} fill="url(${target}#all) none"/>`,
    filter: `<filter id="f" x="0" y="0" width="1" height="1"><feImage href="${target}"/></filter><rect ${all} fill="none" filter="url(#f)"/>`,
    'style import': `<style>@import url("${target}");</style><rect ${all} class="all" fill="none"/>`,
    'style url': `<style>rect { fill: url("${target}#all") none }</style><rect ${all}/>`,
    'foreign object': `<foreignObject ${all}><img xmlns="http://www.w3.org/1999/xhtml" src="${target}" ${all}/><iframe xmlns="http://www.w3.org/1999/xhtml" src="${target}"/></foreignObject>`,
    'xml base': `<g xml:base="${target}"><image ${all} href=""/><image ${all} href="."/></g>`,
    script: `<script href="${target}"/><script>document.documentElement.innerHTML = '<rect ${all} fill="red"/>'</script>`,
    xinclude: `<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="${target}" parse="xml"/>`,
  };
  const drawn = Object.entries(pictures).map(([name, body]) => [name, svgOf(body)] as const);
  return {
    ...Object.fromEntries(drawn),
    stylesheet: svgOf(
      `<rect ${all} class="all" fill="none"/>`,
      undefined,
      `<?xml-stylesheet type="text/css" href="${target}"?>`,
    ),
    'document type': svgOf('', undefined, `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "${target}">`),
  };
}
