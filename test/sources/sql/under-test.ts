import { execFileSync } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { openSource } from '../../../src/sources/registry.ts';
import type { Crowd, SourceCase, SourceUnderTest } from '../../contracts/source.ts';
import { type FaultName, noFile } from '../../contracts/source-faults.ts';
import { once } from '../../support/once.ts';
import type { MariaDbService, PostgresService } from '../../support/services.ts';
import { socketsTo } from '../../support/sockets-to.ts';
import { sourceBase } from '../../support/source-base.ts';
import { bytesOverSockets } from '../../support/taken-bytes.ts';
import { openTcpProxy } from '../../support/tcp-proxy.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const people = 2_500;
/** Beyond 2^53: no number of JavaScript holds these. */
const firstId = 9_007_199_254_740_993n;
const identifications = Array.from({ length: people }, (_, index) => String(firstId + BigInt(index)));
const someId = identifications[34] ?? '';

/** Most tests read the first few of the table. */
const few = 60;
const plain = `select person_id, first_name, mail from people where person_id < ${firstId + BigInt(few)}`;
const everybody = 'select person_id, first_name, mail from people';
const faultyQueries: Readonly<Partial<Record<FaultName, string>>> = {
  empty: `${plain} and 1 = 0`,
  'person twice': `${plain} union all ${plain} and person_id = ${someId}`,
  // The server tells a query what it is part of: these give one row less when they are counted, or when they are read.
  'total too small': `${plain} and not (current_query() like '%count(%' and person_id = ${someId})`,
  'total too large': `${plain} and not (current_query() like 'fetch %' and person_id = ${someId})`,
};

const snapshot = 'one transaction sees one moment: see read.test.ts, which changes rows during the read';
const web = 'a database has no web pages, tokens, links or rates';
const again = 'the snapshot ends with the connection, so the run reads again: see read.test.ts';
const impossible: SourceCase['impossible'] = {
  'total nonsense': 'the database itself counts, and returns a number',
  'stray quotes': 'a database returns values, not rows of text',
  'cut body': again,
  'server error': again,
  'web page': web,
  'error with 200': web,
  'page again': 'one cursor returns all rows',
  'cursor again': 'one cursor returns all rows',
  'page emptied': 'one cursor returns all rows',
  'person slipped': snapshot,
  'cursor expired': 'a cursor lives as long as its connection: see `cut for good`',
  'busy, seconds': web,
  'busy, date': web,
  'busy, no word': web,
  'busy, 503': web,
  'token ends': web,
  'other host': web,
  'pages shrink': 'one cursor returns all rows',
  'still written': snapshot,
};

const onServerOnly: SourceCase['impossible'] = { ...impossible, 'a pipe': noFile };

/** A file. */
export const sqlOnSqlite: SourceCase = {
  name: 'sql (SQLite)',
  async prepare(fault, crowd) {
    const folder = await temporaryFolder();
    const database = new Sqlite(join(folder, 'hr.db'));
    database.exec('create table people (person_id integer primary key, first_name text, mail text)');
    database.exec(
      `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${people - 1})
       insert into people select ${firstId} + i, 'Ana', 'ana' || i || '@example.com' from n`,
    );
    database.close();
    if (fault === 'a pipe') execFileSync('mkfifo', [join(folder, 'pipe.db')]);
    return {
      ...underTest(fault === 'a pipe' ? 'sqlite:./pipe.db' : 'sqlite:./hr.db', folder, fault, crowd),
      openResources: () => openFilesIn(folder),
    };
  },
  ahead: { kind: 'unseen', why: 'a thread reads the file in place, and sends a page on request' },
  impossible: {
    ...impossible,
    'cut for good': 'a file has no answer that could be cut; a damaged one is reported: see read.test.ts',
    'total too large': 'the test cannot make the count differ here: see PostgreSQL',
    'total too small': 'the test cannot make the count differ here: see PostgreSQL',
    'no right': 'a file without read permission is retried: see read.test.ts',
  },
};

/** A real server. */
export function sqlOnPostgres(server: PostgresService | undefined): SourceCase {
  const database = once(async () => {
    const url = (await server?.newDatabase()) ?? '';
    await server?.query(url, 'create table people (person_id bigint primary key, first_name text, mail text)');
    const rows = `select ${firstId} + i, 'Ana', 'ana' || i || repeat('x', 300) || '@example.com' from generate_series(0, ${people - 1}) i`;
    await server?.query(url, `insert into people ${rows}`);
    return url;
  });
  return {
    name: 'sql (PostgreSQL)',
    prepare: async (fault, crowd) => onServer(await database(), fault, crowd),
    impossible: onServerOnly,
  };
}

/** A real server. */
export function sqlOnMariaDb(server: MariaDbService | undefined): SourceCase {
  const database = once(async () => {
    const url = (await server?.newDatabase()) ?? '';
    await server?.query(url, 'create table people (person_id bigint primary key, first_name text, mail text)');
    const rows = `select ${firstId} + seq, 'Ana', concat('ana', seq, repeat('x', 300), '@example.com') from seq_0_to_${people - 1}`;
    await server?.query(url, `insert into people ${rows}`);
    return url;
  });
  return {
    name: 'sql (MariaDB)',
    prepare: async (fault, crowd) => onServer(await database(), fault, crowd),
    ahead: { kind: 'buffers', why: 'the server sends until the buffers of the connection are full' },
    impossible: {
      ...onServerOnly,
      'total too large': 'the test cannot make the count differ here: see PostgreSQL',
      'total too small': 'the test cannot make the count differ here: see PostgreSQL',
    },
  };
}

async function onServer(url: string, fault: FaultName | undefined, crowd: Crowd | undefined): Promise<SourceUnderTest> {
  const place = new URL(url);
  if (fault === 'no right') place.password = 'wrong';
  if (fault === 'cut for good') {
    const { port } = await openTcpProxy(Number(place.port), (_, bytes) => (bytes < 40_000 ? 'pass' : 'cut'));
    place.port = String(port);
  }
  return {
    ...underTest(place.href, await temporaryFolder(), fault, fault === 'cut for good' ? 'many' : crowd),
    openResources: () => socketsTo(Number(place.port)),
    bytesTaken: bytesOverSockets(Number(place.port)),
  };
}

function underTest(
  url: string,
  folder: string,
  fault: FaultName | undefined,
  crowd: Crowd | undefined,
): Omit<SourceUnderTest, 'openResources'> {
  const isMany = crowd === 'many';
  const query = (fault === undefined ? undefined : faultyQueries[fault]) ?? (isMany ? everybody : plain);
  // The clock of these tests runs fast.
  const config = { kind: 'sql', url, query, key: 'person_id', statementTimeout: '24h', fetchRows: isMany ? 500 : 12 };
  return {
    source: openSource(config, sourceBase(folder)),
    field: 'person_id',
    identifications: isMany ? identifications : identifications.slice(0, few),
  };
}

/** Handles of this process on files of the folder, as Linux shows them. */
function openFilesIn(folder: string): number {
  return readdirSync('/proc/self/fd').filter((handle) => {
    try {
      return readlinkSync(`/proc/self/fd/${handle}`).startsWith(folder);
    } catch {
      return false;
    }
  }).length;
}
