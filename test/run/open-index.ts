import { tmpdir } from 'node:os';
import { onTestFinished } from 'vitest';
import type { FieldName } from '../../src/core/person/fields.ts';
import { PeopleIndex } from '../../src/run/read/people-index.ts';
import { openFileSpool } from '../../src/store/db/file-spool.ts';

/** Opens an index whose spool is closed when the test ends. */
export function openIndex(fields: readonly FieldName[] = ['firstName', 'lastName', 'email'], salt = ''): PeopleIndex {
  const spool = openFileSpool(tmpdir());
  onTestFinished(() => spool.close());
  return new PeopleIndex(spool, fields, salt);
}
