import type { SqlDialect } from './database-url.ts';

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

/** Searches outside all parentheses. */
function shapeProblem(shape: string): string | undefined {
  let depth = 0;
  for (const { 0: found, index } of shape.matchAll(/[()]|\blimit\b|\bfetch\s+(?:first|next)\b/gi)) {
    if (found === '(') depth += 1;
    else if (found === ')') depth -= 1;
    else if (depth === 0 && shape[index - 1] !== '.') {
      return `must not end with ${found}: an employee beyond it would count as missing`;
    }
    if (depth < 0) break;
  }
  return depth === 0 ? undefined : 'has a parenthesis too many or too few';
}
