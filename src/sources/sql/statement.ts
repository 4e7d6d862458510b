import type { SqlDialect } from '../../drivers/sql/database-url.ts';

/** Quoted text, quoted names and comments, which do not affect the statement's shape. */
const quoted: Readonly<Record<SqlDialect, RegExp>> = {
  postgres:
    /\b[eE]'(?:\\[\s\S]|''|[^'\\])*'|'(?:''|[^'])*'|"(?:""|[^"])*"|\$((?:[A-Za-z_]\w*)?)\$[\s\S]*?\$\1\$|--[^\n]*|\/\*[\s\S]*?\*\//g,
  mysql: /'(?:\\[\s\S]|''|[^'\\])*'|"(?:\\[\s\S]|""|[^"\\])*"|`(?:``|[^`])*`|--(?=\s)[^\n]*|#[^\n]*|\/\*[\s\S]*?\*\//g,
  sqlite: /'(?:''|[^'])*'|"(?:""|[^"])*"|`(?:``|[^`])*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\//g,
};

/**
 * Checks that a query can be used inside another statement: one `select` (or `with … select`) without `;`. A problem
 * continues the sentence that begins with the key. This only catches mistakes. The database enforces that a query is
 * alone and writes nothing (extended protocol, read-only transaction).
 */
export function readStatement(
  query: string,
  dialect: SqlDialect,
): { readonly query: string } | { readonly problem: string } {
  // Same length as the query, so that positions agree. Only comments become blanks.
  const bare = query.replace(quoted[dialect], (text) => (/^(?:--|\/\*|#)/.test(text) ? ' ' : '"').repeat(text.length));
  const shape = bare.trimEnd().replace(/;$/, '').trimEnd();
  if (shape.includes(';')) return { problem: 'must be one statement: there is something after a ;' };
  if (!/^\s*(?:select|with)\b/i.test(shape)) return { problem: 'must begin with select or with' };
  const problem = shapeProblem(shape);
  return problem === undefined ? { query: query.slice(0, shape.length) } : { problem };
}

/** What a parenthesis holds: the query itself, a table that the query reads, or anything else. */
type Part = 'query' | 'table' | 'other';

/**
 * Searches for a limit of the rows that become employees: at the end, in a table of `from` or `join`, in a common table
 * expression, and in a part of a union. A subquery that gives a value, or that is evaluated for each row (`lateral`),
 * may have one. So may a table of one row, such as the newest load.
 */
function shapeProblem(shape: string): string | undefined {
  const parts: Part[] = [];
  for (const { 0: found, 1: word, index } of shape.matchAll(shapeWords)) {
    if (found === '(') parts.push(partAt(shape.slice(0, index)));
    else if (found === ')' && parts.pop() === undefined) return unbalanced;
    if (word === undefined || shape[index - 1] === '.') continue;
    const part = parts.at(-1) ?? 'query';
    const isCut = part === 'query' || (part === 'table' && !oneRow.test(shape.slice(index)));
    if (!isCut) continue;
    return part === 'query'
      ? `must not end with ${word}: an employee beyond it would count as missing`
      : `must not have ${word} in a table that it reads: an employee beyond it would count as missing. Only limit 1, for one row, is accepted there`;
  }
  return parts.length === 0 ? undefined : unbalanced;
}

const unbalanced = 'has unbalanced parentheses';
/** `offset` is also the name of columns and functions, so a number must follow. */
const shapeWords = /[()]|\b(limit(?!\s+(?:all|null)\b)|fetch\s+(?:first|next)|offset(?=\s+[\d:$?]))\b/gi;
const oneRow = /^(?:limit\s+1(?![\d,.]|\s*,)|fetch\s+(?:first|next)\s+(?:1\s+)?row\b)/i;

/** Returns what the parenthesis after this text begins. */
function partAt(before: string): Part {
  const text = before.trimEnd();
  if (/\b(?:union|except|intersect)(?:\s+(?:all|distinct))?$/i.test(text)) return 'query';
  if (/\blateral$/i.test(text)) return 'other';
  if (/\b(?:from|join|as|materialized)$/i.test(text) || isNextTable(text)) return 'table';
  // A parenthesis around a table, or a part of a union.
  return text.endsWith('(') ? partAt(text.slice(0, -1)) : 'other';
}

/** Returns whether the text ends with the comma of a list of tables: `from a, (`. */
function isNextTable(text: string): boolean {
  if (!text.endsWith(',')) return false;
  let depth = 0;
  const words = [...text.matchAll(/[()]|\b(?:select|from|where|on|using|by|having|values)\b/gi)].reverse();
  for (const { 0: word } of words) {
    if (word === ')') depth += 1;
    else if (word === '(') depth -= 1;
    else if (depth === 0) return word.toLowerCase() === 'from';
    if (depth < 0) return false;
  }
  return false;
}
