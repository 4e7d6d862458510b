import { expect, test } from 'vitest';
import type { SqlDialect } from '../../../src/drivers/sql/database-url.ts';
import { readStatement } from '../../../src/sources/sql/statement.ts';

const all: readonly SqlDialect[] = ['postgres', 'mysql', 'sqlite'];

test.each<[string, readonly SqlDialect[], string?]>([
  ['select 1', all],
  ['  SELECT 1 ;  ', all, '  SELECT 1'],
  ['with a as (select 1 as x limit 1) select x from a;', all, 'with a as (select 1 as x limit 1) select x from a'],
  [
    'select p.*, (select title from jobs j where j.person = p.id order by since desc limit 1) as title from people p',
    all,
  ],
  ['select * from people where id in (select person from jobs order by since limit 500)', all],
  ['select * from people where exists (select 1 from jobs limit 10)', all],
  ['select * from people where load = (select max(id) from (select id from loads order by at desc limit 1) l)', all],
  [
    'select * from people p left join lateral (select * from jobs j where j.person = p.id limit 3) j on true',
    ['postgres', 'mysql'],
  ],
  [
    'select * from people p, (select id from loads order by at desc fetch first row only) l where p.load = l.id',
    ['postgres'],
  ],
  ['select coalesce(a, (select b from c limit 2)), (select d from e limit 5) as f from people', all],
  ['select * from people limit all', ['postgres']],
  ['select offset from people', all],
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
  ['select 1) x where (1 = 1', 'has unbalanced parentheses'],
  ['select (1', 'has unbalanced parentheses'],
  ['select * from people limit 1000', /^must not end with limit: an employee beyond it/],
  ['select * from people offset 10', /^must not end with offset/],
  ['select * from (select * from people order by id limit 1000) p', /^must not have limit in a table that it reads/],
  ['select * from ((select * from people limit 10)) p', /^must not have limit in a table/],
  [
    'select * from people a join (select * from jobs limit 10, 1) j on j.person = a.id',
    /^must not have limit in a table/,
  ],
  ['select * from people a, (select * from jobs limit 5) j where j.person = a.id', /^must not have limit in a table/],
  ['with p as (select * from people limit 100) select * from p', /^must not have limit in a table/],
  [
    'with p as (select * from people fetch first 100 rows only) select * from p',
    /^must not have fetch first in a table/,
  ],
  ['select * from (select * from people offset 20) p', /^must not have offset in a table/],
  ['select 1 union all (select id from people limit 10)', /^must not end with limit/],
  ['select * from people FETCH  FIRST 10 rows only', /^must not end with FETCH {2}FIRST/],
])('%s is refused', (query, problem) => {
  const message = typeof problem === 'string' ? problem : expect.stringMatching(problem);
  for (const dialect of all) expect(readStatement(query, dialect), dialect).toEqual({ problem: message });
});
