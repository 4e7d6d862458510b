import { ASTNodeTypes, type TxtDocumentNode, type TxtNode } from '@textlint/ast-node-types';
import type { TextlintPluginCreator } from '@textlint/types';
import { codeOnly } from '../../test/support/architecture/code-only.ts';

/** A stretch of prose in a file that is not a page. */
interface Span {
  readonly start: number;
  /** The characters of the file, with everything but prose blanked. */
  readonly text: string;
  readonly isComment?: true;
}

/** Comments of a TypeScript file, and its strings where the folder holds messages. */
function spansOfSource(text: string, hasMessages: boolean): readonly Span[] {
  const code = codeOnly(text);
  const spans: Span[] = [];
  let at = 0;
  while (at < text.length) {
    if (code[at] === text[at]) {
      at++;
      continue;
    }
    let end = at;
    while (end < text.length && (code[end] !== text[end] || /\s/.test(text[end] ?? ''))) end++;
    const found = text.slice(at, end);
    const isComment = found.startsWith('//') || found.startsWith('/*');
    if (isComment) spans.push(...commentsOf(found, at));
    else if (hasMessages && isMessage(found)) spans.push({ start: at, text: found });
    at = end;
  }
  return spans;
}

/** Neighboring comments are one stretch; each line comment and each block is a span. */
function commentsOf(text: string, start: number): readonly Span[] {
  const found = [...text.matchAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*(?:\n\s*\/\/[^\n]*)*/g)];
  return found
    .filter(([comment]) => !/biome-ignore|@ts-|eslint/.test(comment))
    .map((match) => ({
      start: start + match.index,
      isComment: true,
      text: match[0].replace(/^[ \t]*(?:\/\*+|\*\/|\*|\/\/)|\*\/$/gm, (marks) => ' '.repeat(marks.length)),
    }));
}

/** A sentence, not a word, a path or markup. */
function isMessage(text: string): boolean {
  return /[A-Za-z]{2,} [A-Za-z]{2,} /.test(text) && !/[{}<>]|=>|;$/.test(text);
}

/** Comments of YAML and templates, and the lines that users read: summaries and notes. */
function spansOfTemplate(text: string, isNotes: boolean): readonly Span[] {
  const pattern = isNotes
    ? /^(?!\s*\{\{).+$/gm
    : /(?<=^\s*#+ ?)(?!!).*$|(?<=^\s*(?:summary|description): ).*$|(?<=\{\{-? ?\/\*)[\s\S]*?(?=\*\/)/gm;
  return [...text.matchAll(pattern)].map((match) => ({ start: match.index, text: match[0] }));
}

function toDocument(text: string, spans: readonly Span[]): TxtDocumentNode {
  const lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const place = (at: number) => {
    let line = lineStarts.findLastIndex((start) => start <= at);
    line = Math.max(line, 0);
    return { line: line + 1, column: at - (lineStarts[line] ?? 0) };
  };
  const base = (start: number, end: number) => ({
    raw: text.slice(start, end),
    range: [start, end] as const,
    loc: { start: place(start), end: place(end) },
  });
  const children = spans.map(({ start, text: value, isComment }) => {
    const end = start + value.length;
    const str = { type: ASTNodeTypes.Str, value, ...base(start, end) };
    return {
      type: ASTNodeTypes.Paragraph,
      origin: isComment === true ? 'comment' : 'source',
      children: [str],
      ...base(start, end),
    };
  });
  return {
    type: ASTNodeTypes.Document,
    children: children as unknown as TxtNode[],
    ...base(0, text.length),
  } as TxtDocumentNode;
}

/** Folders whose strings operators read. */
const messageFolders =
  /(?:^|\/)src\/(?:app|cli|config|core|delivery|drivers|main|platform|run|sandbox|server|store|views|watch|work|web\/texts\/en)\//;

/** Reads comments and messages of TypeScript, YAML and Helm templates as prose. */
export const sourceProse: TextlintPluginCreator = {
  Processor: class {
    availableExtensions() {
      return ['.ts', '.json', '.yaml', '.tpl', '.txt'];
    }
    processor(extension: string) {
      return {
        preProcess: (text: string, path = '') => {
          const spans =
            extension === '.ts' || extension === '.json'
              ? spansOfSource(text, messageFolders.test(path))
              : spansOfTemplate(text, extension === '.txt');
          return toDocument(text, spans);
        },
        postProcess: (messages: never[], filePath = '') => ({ messages, filePath }),
      };
    }
  },
};
