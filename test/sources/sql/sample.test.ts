import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { openSource } from '../../../src/sources/registry.ts';
import { sql } from '../../../src/sources/sql/index.ts';
import { readWhole } from '../../contracts/source.ts';
import { startMariaDb, startPostgres } from '../../support/services.ts';
import { sourceBase } from '../../support/source-base.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const postgres = await startPostgres();
const mariaDb = await startMariaDb();
const sample = new URL('../../../src/sources/sql/sample/people.sql', import.meta.url);
const statements = (await readFile(sample, 'utf8')).split(';\n').filter((statement) => statement.trim() !== '');

async function fill(service: typeof postgres | typeof mariaDb): Promise<string | undefined> {
  const url = await service?.newDatabase();
  if (url !== undefined) for (const statement of statements) await service?.query(url, statement);
  return url;
}

it('the sample is read the same from every database, by the query of the starter', async () => {
  const folder = await temporaryFolder();
  const file = new Sqlite(join(folder, 'hr.db'));
  for (const statement of statements) file.exec(statement);
  file.close();
  const query = /query: \|\n((?: {4}.*\n)+)/
    .exec(sql.starters[0]?.source ?? '')?.[1]
    ?.replace('hr.employees', 'employees');

  for (const url of ['sqlite:hr.db', await fill(postgres), await fill(mariaDb)]) {
    if (url === undefined) continue;
    const config = { kind: 'sql', url, query, key: 'employee_id', statementTimeout: '24h' };
    const { pages, end } = await readWhole(openSource(config, sourceBase(folder)));
    expect(end).toMatchObject({ complete: true, rows: 4 });
    const people = pages.flatMap(({ records }) => records.map(({ fields }) => fields));
    expect(people[1]).toMatchObject({ employee_id: '90071992547409932', hire_date: '2021-08-17', end_date: null });
    expect(people[2]).toMatchObject({ first_name: 'Chloé', last_name: "O'Neil", work_email: null });
    expect(people[3]).toMatchObject({ end_date: '2024-06-30', status: 'terminated' });
  }
});
