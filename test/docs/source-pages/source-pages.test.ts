import { describe, expect, test } from 'vitest';
import { createExpressions } from '../../../src/config/expressions.ts';
import { compileMapping } from '../../../src/core/person/mapping.ts';
import { readWhole, sourceIo } from '../../contracts/source.ts';
import { findSshd } from '../../support/services/sshd.ts';
import { startPostgres } from '../../support/services.ts';
import { loadBlock, readPageBlocks } from './blocks.ts';
import { pageBase } from './page-base.ts';
import { plays, type Services } from './worlds.ts';

const blocks = await readPageBlocks();
const services: Services = {
  postgres: await startPostgres(),
  sshd: await findSshd('the page of csv about SFTP'),
};

test('every block of every page of a source is played', () => {
  expect(blocks.map(({ name }) => name).toSorted()).toEqual(Object.keys(plays).toSorted());
});

describe('advice works as it is written:', () => {
  for (const block of blocks) {
    const play = plays[block.name];
    const isThere = play?.needs === undefined || services[play.needs] !== undefined;
    test.skipIf(!isThere)(`docs/sources/${block.name}`, async () => {
      if (play === undefined) throw new Error(`say in worlds.ts how ${block.name} is played`);
      const { people, leavers, ...given } = await play.open(services);
      const base = blocks.find(({ name }) => name === play.base);

      const sync = await loadBlock(block, base === undefined ? given : { ...given, base });
      const source = sync.source.open(await pageBase(given.folder));
      const fields = await source.fields(sourceIo());
      const { pages, end } = await readWhole(source);

      expect(end).toMatchObject({ complete: true, rows: people });
      const mapping = compileMapping(sync.mapping, sync.lifecycle, sync, { expressions: createExpressions() });
      if (fields !== undefined)
        expect(mapping.reads.filter((name) => !fields.includes(name.split('.')[0] ?? ''))).toEqual([]);
      const records = pages.flatMap((page) => page.records);
      const mapped = await Promise.all(records.map((record) => mapping.map(record, sourceIo().clock.now())));
      const usable = mapped.filter(
        (one) => one.kind === 'person' && one.standing !== 'unknown' && one.troubles.length === 0,
      );
      expect(usable).toHaveLength(people);
      if (leavers !== undefined) {
        expect(usable.filter((one) => one.kind === 'person' && one.standing === 'leaver')).toHaveLength(leavers);
      }
    });
  }
});
