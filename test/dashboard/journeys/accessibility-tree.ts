import type { Page } from 'playwright-core';

interface AxNode {
  nodeId: string;
  childIds?: string[];
  ignored: boolean;
  role?: { value?: unknown };
  name?: { value?: unknown };
  properties?: { name: string; value: { value?: unknown } }[];
}

/** Roles that repeat the text of their parent. */
const INLINE = ['InlineTextBox', 'StaticText', 'none', 'generic', 'image'];
/** Properties that a screen reader announces in addition to role and name. */
const SAID = ['selected', 'multiselectable', 'level', 'expanded'];

/** Accessibility tree below a node as Chromium exposes it: one line per node, indented by depth. */
export async function readAloud(page: Page, role: string): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = (await session.send('Accessibility.getFullAXTree')) as unknown as { nodes: AxNode[] };
  await session.detach();
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const lines: string[] = [];
  const visit = (node: AxNode, depth: number): void => {
    const isSaid = !node.ignored && !INLINE.includes(String(node.role?.value));
    if (isSaid) lines.push(' '.repeat(depth) + lineOf(node));
    for (const id of node.childIds ?? []) {
      const child = byId.get(id);
      if (child) visit(child, isSaid ? depth + 1 : depth);
    }
  };
  const top = nodes.find((node) => node.role?.value === role);
  if (top) visit(top, 0);
  return lines;
}

function lineOf({ role, name, properties = [] }: AxNode): string {
  const said = properties.filter((one) => SAID.includes(one.name) && one.value.value === true).map((one) => one.name);
  return [role?.value, name?.value && `"${name.value}"`, ...said].filter(Boolean).join(' ');
}
