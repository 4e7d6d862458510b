import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a badge says: a fact of package.json, so that it is true as long as the tests pass. */
interface Badge {
  readonly label: string;
  readonly value: string;
}

interface PackageFacts {
  readonly license: string;
  readonly engines: { readonly node: string };
}

/** Returns the badges of the README by their file names in docs/pictures. */
export function drawBadges(): ReadonlyMap<string, string> {
  const facts = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as PackageFacts;
  const badges: Readonly<Record<string, Badge>> = {
    license: { label: 'license', value: facts.license },
    node: { label: 'Node.js', value: facts.engines.node.replace('>=', '≥ ') },
  };
  return new Map(Object.entries(badges).map(([name, badge]) => [`badge-${name}.svg`, draw(badge)]));
}

const height = 20;
const padding = 8;
/** Widest letters of the font at 11 px, so that a text never leaves its half. */
const letterWidth = 7;

function draw({ label, value }: Badge): string {
  const left = label.length * letterWidth + 2 * padding;
  const right = value.length * letterWidth + 2 * padding;
  const text = (words: string, x: number): string => `<text x="${x}" y="14" text-anchor="middle">${words}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="${height}" role="img" aria-label="${label}: ${value}">
<style>text { font: 11px system-ui, sans-serif; fill: #fff; }</style>
<rect width="${left + right}" height="${height}" rx="3" fill="#1f6feb"/>
<path d="M0 3a3 3 0 0 1 3-3h${left - 3}v${height}H3a3 3 0 0 1-3-3z" fill="#444c56"/>
${text(label, left / 2)}
${text(value, left + right / 2)}
</svg>
`;
}
