import { expect, test } from 'vitest';
import type { SqlDialect } from '../../../src/sources/sql/database-url.ts';
import { readStatement } from '../../../src/sources/sql/statement.ts';

const all: readonly SqlDialect[] = ['postgres', 'mysql', 'sqlite'];

test.each<[string, readonly SqlDialect[], string?]>([
  ['select 1', all],
  ['  SELECT 1 ;  ', all, '  SELECT 1'],
  ['with a as (select 1 as x limit 3) select x from a;', all, 'with a as (select 1 as x limit 3) select x from a'],
  ["select ';' as x, 'it''s; limit' as y -- ; end", all, "select ';' as x, 'it''s; limit' as y"],
  ['select "a;b" from t /* ; limit 1 */', all, 'select "a;b" from t'],
  ['select x.limit from x', all],
  ["select id from people where status = 'here'; -- now", all, "select id from people where status = 'here'"],
  ['-- all of them;\nselect 1', all],
  ['select $$;$$, $a$ ; $$ ; $a$', ['postgres']],
  ["select E'\\';' as x", ['postgres']],
  ["select doc #>> '{a}' from t", ['postgres']],
  ["select '\\';' as x from `a;b` # ; end\nwhere 1", ['mysql']],
  ['select 1--1 from t', ['mysql']],
  ['select [a;b] from t', ['sqlite']],
])('%s is one statement', (query, dialects, kept = query) => {
  for (const dialect of dialects) expect(readStatement(query, dialect), dialect).toEqual({ query: kept });
});

test.each([
  ['select 1; delete from people', 'must be one statement: there is something after a ;'],
  ['select 1;;', 'must be one statement: there is something after a ;'],
  ["select 'a'; -- b\nselect 2", 'must be one statement: there is something after a ;'],
  ['delete from people', 'must begin with select or with'],
  ['', 'must begin with select or with'],
  ['select 1) x; drop table people', 'must be one statement: there is something after a ;'],
  ['select 1) x where (1 = 1', 'has a parenthesis too many or too few'],
  ['select (1', 'has a parenthesis too many or too few'],
  ['select * from people limit 1000', /^must not end with limit: an employee beyond it/],
  ['select * from people FETCH  FIRST 10 rows only', /^must not end with FETCH {2}FIRST/],
])('%s is refused', (query, problem) => {
  const message = typeof problem === 'string' ? problem : expect.stringMatching(problem);
  for (const dialect of all) expect(readStatement(query, dialect), dialect).toEqual({ problem: message });
});
