import type { SqlDialect } from './database-url.ts';

/** Quoted text, quoted names and comments: what stands in them is no part of the statement's shape. */
const quoted: Readonly<Record<SqlDialect, RegExp>> = {
  postgres:
    /\b[eE]'(?:\\[\s\S]|''|[^'\\])*'|'(?:''|[^'])*'|"(?:""|[^"])*"|\$((?:[A-Za-z_]\w*)?)\$[\s\S]*?\$\1\$|--[^\n]*|\/\*[\s\S]*?\*\//g,
  mysql: /'(?:\\[\s\S]|''|[^'\\])*'|"(?:\\[\s\S]|""|[^"\\])*"|`(?:``|[^`])*`|--(?=\s)[^\n]*|#[^\n]*|\/\*[\s\S]*?\*\//g,
  sqlite: /'(?:''|[^'])*'|"(?:""|[^"])*"|`(?:``|[^`])*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\//g,
};

/**
 * Takes a query for what the adapter can put into its own: one `select` (or `with … select`) without `;`. A problem is
 * told in words that go on from the key. This is for people who err: that a query is alone and writes nothing is enforced
 * by the database (extended protocol, read-only transaction).
 */
export function readStatement(
  query: string,
  dialect: SqlDialect,
): { readonly query: string } | { readonly problem: string } {
  // As long as the query itself, so that places in one are places in the other; comments alone become blanks.
  const bare = query.replace(quoted[dialect], (text) => (/^(?:--|\/\*|#)/.test(text) ? ' ' : '"').repeat(text.length));
  const shape = bare.trimEnd().replace(/;$/, '').trimEnd();
  if (shape.includes(';')) return { problem: 'must be one statement: there is something after a ;' };
  if (!/^\s*(?:select|with)\b/i.test(shape)) return { problem: 'must begin with select or with' };
  const problem = shapeProblem(shape);
  return problem === undefined ? { query: query.slice(0, shape.length) } : { problem };
}

/** Looks outside every parenthesis. */
function shapeProblem(shape: string): string | undefined {
  let depth = 0;
  for (const { 0: found, index } of shape.matchAll(/[()]|\blimit\b|\bfetch\s+(?:first|next)\b/gi)) {
    if (found === '(') depth += 1;
    else if (found === ')') depth -= 1;
    else if (depth === 0 && shape[index - 1] !== '.') {
      return `must not end with ${found}: whoever is beyond it would be taken for gone`;
    }
    if (depth < 0) break;
  }
  return depth === 0 ? undefined : 'has a parenthesis too many or too few';
}
