import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLError,
} from 'yaml';

/** The position of a value: keys of mappings and indices of lists, from the top of the file. */
export type KeyPath = readonly (string | number)[];

/** Returns the path as text: `syncs.people.protected[2]`. */
export function renderKeyPath(path: KeyPath): string {
  // A key is cut at a colon: `key:value` without a blank parses as one key, and the value may be a secret.
  const shown = (key: string): string => key.replace(/:.+$/s, ':…');
  return path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i === 0 ? '' : '.'}${shown(part)}`))
    .join('');
}

/** Returns a map key for the path. */
export function keyOf(path: KeyPath): string {
  return JSON.stringify(path.map(String));
}

export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface TreeProblem extends Position {
  readonly path: KeyPath;
  readonly message: string;
  /** The value could not be read; `value` has a hole there. */
  readonly isHole: boolean;
}

/** A YAML (or JSON) text as plain values, with the position of each in the file. */
export interface YamlTree {
  readonly value: unknown;
  readonly problems: readonly TreeProblem[];
  /** Returns the position for a path: the value's, a collection's key, or for an absent key the nearest parent. */
  locate(path: KeyPath): Position;
  locateKey(path: KeyPath): Position;
}

const maxNodes = 100_000;
const tooMany = `the file has more than ${maxNodes} values, counting aliases each time`;

/**
 * Reads a YAML 1.2 text of one document. Problems contain no text of the file, because it may be a secret. When the
 * syntax is broken (except duplicate keys), `value` is undefined.
 */
export function parseYamlTree(text: string): YamlTree {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error' });
  const positionAt = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const builder: Builder = { document, positionAt, values: new Map(), keys: new Map(), problems: [], nodes: 0 };
  const broken = [...document.errors, ...document.warnings].filter(({ code }) => code !== 'DUPLICATE_KEY');
  // Only the first error: after it, the parser also reports correct lines.
  const [first] = broken.toSorted((a, b) => a.pos[0] - b.pos[0]);
  const problems =
    first === undefined
      ? []
      : [{ path: [], ...positionAt(first.pos[0]), message: syntaxSentence(first), isHole: true }];
  const value = broken.length > 0 ? undefined : build(builder, document.contents, [], []);
  return {
    value: builder.nodes > maxNodes ? undefined : value,
    problems: [...problems, ...builder.problems],
    locate: (path) => nearestMark(builder.values, path),
    locateKey: (path) => builder.keys.get(keyOf(path)) ?? nearestMark(builder.values, path),
  };
}

interface Builder {
  readonly document: Document.Parsed;
  readonly positionAt: (offset: number) => Position;
  readonly values: Map<string, Position>;
  readonly keys: Map<string, Position>;
  readonly problems: TreeProblem[];
  nodes: number;
}

function nearestMark(marks: ReadonlyMap<string, Position>, path: KeyPath): Position {
  for (let length = path.length; length >= 0; length--) {
    const mark = marks.get(keyOf(path.slice(0, length)));
    if (mark !== undefined) return mark;
  }
  return { line: 1, column: 1 };
}

function build(builder: Builder, node: Node | null, path: KeyPath, open: readonly Node[]): unknown {
  builder.nodes += 1;
  if (builder.nodes > maxNodes) {
    // Reported once for the whole file: multiplying aliases would repeat it without end.
    if (builder.nodes === maxNodes + 1) refuse(builder, [], tooMany);
    return undefined;
  }
  if (node === null) return null;
  if (!builder.values.has(keyOf(path))) builder.values.set(keyOf(path), builder.positionAt(node.range?.[0] ?? 0));
  if (isAlias(node)) {
    const target = node.resolve(builder.document);
    if (target === undefined)
      return refuse(builder, path, 'is an alias (*) of an anchor (&) that is not defined before it');
    if (open.includes(target)) return refuse(builder, path, 'is an alias (*) of a value that contains it');
    return build(builder, target, path, open);
  }
  if (isScalar(node)) return node.value;
  if (isSeq<Node>(node)) return node.items.map((item, i) => build(builder, item, [...path, i], [...open, node]));
  if (!isMap<Node, Node | null>(node)) return undefined;
  const entries = new Map<string, unknown>();
  for (const pair of node.items) {
    const key = isScalar(pair.key) && keyTypes.includes(typeof pair.key.value) ? String(pair.key.value) : undefined;
    const keyAt = builder.positionAt(pair.key.range?.[0] ?? 0);
    if (key === undefined) {
      builder.problems.push({ path, ...keyAt, message: 'has a key that is not plain text', isHole: false });
      continue;
    }
    const below = [...path, key];
    if (entries.has(key)) {
      const first = builder.keys.get(keyOf(below))?.line ?? keyAt.line;
      const message = `is a duplicate key; it is first defined on line ${first}`;
      builder.problems.push({ path: below, ...keyAt, message, isHole: false });
      continue;
    }
    builder.keys.set(keyOf(below), keyAt);
    // Problems of a collection point to its key, because its first character is often on the next line.
    if (!isScalar(pair.value)) builder.values.set(keyOf(below), keyAt);
    entries.set(key, build(builder, pair.value, below, [...open, node]));
  }
  // Own properties even for `__proto__`, which is then rejected like every unknown key.
  return Object.fromEntries(entries);
}

const keyTypes = ['string', 'number', 'boolean'];

function refuse(builder: Builder, path: KeyPath, message: string): undefined {
  builder.problems.push({ path, ...nearestMark(builder.values, path), message, isHole: true });
}

/** The parser's own messages may quote the file, so known codes have messages here. */
function syntaxSentence({ code, message }: YAMLError): string {
  switch (code) {
    case 'TAB_AS_INDENT':
      return 'YAML: a tab is used for indentation; use spaces';
    case 'BAD_INDENT':
      return 'YAML: the indentation of this line does not match, or a bracket is not closed';
    case 'MISSING_CHAR':
      return /quote/.test(message)
        ? 'YAML: a quote that was opened above is not closed'
        : 'YAML: a colon, comma or closing bracket is missing';
    case 'BLOCK_AS_IMPLICIT_KEY':
      return 'YAML: two colons in one line; put the value in quotes';
    case 'BAD_SCALAR_START':
      return 'YAML: a value cannot begin with this character; put the value in quotes';
    case 'BAD_DQ_ESCAPE':
      return 'YAML: unknown escape sequence; use single quotes for a literal backslash';
    case 'MULTIPLE_DOCS':
      return 'YAML: a second document begins here (---); a file has one configuration';
    case 'TAG_RESOLVE_FAILED':
      return 'YAML: tags (!name) are not supported; quote the value if it begins with an exclamation mark';
    default:
      return `YAML: the text cannot be read here (${code})`;
  }
}
