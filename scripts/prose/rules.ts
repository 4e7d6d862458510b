import type { TxtNode, TxtParentNode } from '@textlint/ast-node-types';
import type { TextlintRuleModule } from '@textlint/types';
import { british, contraction, invertedOpeners, words } from './words.ts';

const mostWords = 25;
const mostCellWords = 20;

/** A stretch of prose: a paragraph, a list item, a table cell, a message or a comment. */
interface Prose {
  readonly node: TxtNode;
  /** Its text, with code replaced by one word. */
  readonly text: string;
  /** It explains code, to a reader of the code. */
  readonly isOfCode: boolean;
}

type Judge = (prose: Prose, tell: (message: string, excerpt: string) => void) => void;

/** The rules of our English, by id. */
export const rules: Readonly<Record<string, TextlintRuleModule>> = {
  'private-word': paragraphRule(({ text, isOfCode }, tell) => {
    for (const { pattern, use, isNameInCode } of words) {
      if (isOfCode && isNameInCode === true) continue;
      const [found] = pattern.exec(text) ?? [];
      if (found !== undefined) tell(`"${found}": use ${use}`, found);
    }
  }),
  'inverted-opener': paragraphRule(({ text }, tell) => {
    for (const sentence of sentencesOf(text)) {
      if (invertedOpeners.test(sentence)) tell('begin with the subject', sentence);
    }
  }),
  contraction: paragraphRule(({ text }, tell) => {
    const [found] = contraction.exec(text) ?? [];
    if (found !== undefined) tell(`"${found}": write both words`, found);
  }),
  spelling: paragraphRule(({ text }, tell) => {
    for (const [pattern, american] of british) {
      const [found] = pattern.exec(text) ?? [];
      if (found !== undefined) tell(`"${found}": American spelling: ${american}`, found);
    }
  }),
  'long-sentence': paragraphRule(({ node, text }, tell) => {
    if (!isDocument(node)) return;
    for (const sentence of sentencesOf(text)) {
      const count = countWords(sentence);
      if (count > mostWords) tell(`${count} words; at most ${mostWords}`, sentence);
    }
  }),
  'long-cell': (context) => ({
    TableCell(node) {
      const count = countWords(textOf(node));
      if (count > mostCellWords) {
        const message = `${count} words in a table cell; at most ${mostCellWords}: put the rest below the table`;
        context.report(node, new context.RuleError(message));
      }
    },
  }),
};

/** Applies a judgement to each paragraph and table cell. */
function paragraphRule(judge: Judge): TextlintRuleModule {
  return (context) => {
    const isAboutCode = context.getFilePath()?.endsWith('docs/architecture.md') === true;
    const visit = (node: TxtParentNode): void => {
      const raw = context.getSource(node);
      judge({ node, text: textOf(node), isOfCode: isOfCode(node) || isAboutCode }, (message, excerpt) => {
        const start = excerpt.slice(0, 12);
        const index = Math.max(0, raw.indexOf(start));
        const shown = excerpt.length > 90 ? `${excerpt.slice(0, 90)}…` : excerpt;
        context.report(node, new context.RuleError(`${message}: ${shown}`, { padding: context.locator.at(index) }));
      });
    };
    return { Paragraph: visit, TableCell: visit };
  };
}

/** Returns whether the paragraph is of a page. Messages and comments come from our own processor. */
function isDocument(node: TxtNode): boolean {
  return !('origin' in node);
}

function isOfCode(node: TxtNode): boolean {
  return 'origin' in node && node.origin === 'comment';
}

/** Returns the text of a node as a reader reads it. Code counts as one word. */
export function textOf(node: TxtNode): string {
  if (node.type === 'Code') return 'CODE';
  if (node.type === 'Break') return ' ';
  if (node.type === 'Html' || node.type === 'Image') return '';
  if ('children' in node) return (node.children as readonly TxtNode[]).map(textOf).join('');
  return String('value' in node ? node.value : '').replaceAll('\n', ' ');
}

/** Returns the sentences of a text. A colon or semicolon does not end one. */
export function sentencesOf(text: string): readonly string[] {
  return text
    .replace(/\b(?:e\.g|i\.e|vs|etc|approx)\./g, (word) => word.replaceAll('.', ''))
    .split(/(?<=[.!?]["')\]]?)\s+(?=["'([*]?[A-Z0-9])/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}

export function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => /[A-Za-z0-9]/.test(word)).length;
}
