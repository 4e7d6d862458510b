import { pagesOf, type SourceCase } from '../../contracts/source.ts';
import type { FaultName } from '../../contracts/source-faults.ts';
import { humans, type PagingFakeName, startRestFake } from '../../fakes/hris/rest.ts';
import { impossibleOverHttp, overHttp } from '../over-http.ts';

type Impossible = Partial<Record<FaultName, string>>;

const noCursor: Impossible = {
  'cursor again': 'pages have numbers, so there is no cursor',
  'page emptied': 'pages have numbers, so an empty one is the end',
};
const noTotal: Impossible = {
  'total too large': 'the API reports no total',
  'total too small': 'the API reports no total',
  'total nonsense': 'the API reports no total',
};
const goesOnAfter: Impossible = {
  'person slipped': 'a page continues after a person, so a deletion hides no person',
};

function restCase(style: PagingFakeName, impossible: Impossible, more: Pick<SourceCase, 'ahead'> = {}): SourceCase {
  return {
    name: `rest (${style})`,
    async prepare(fault, crowd) {
      const pages = pagesOf(crowd);
      // One answer has to be longer than the buffers on its way, and than one page of a read.
      const count = style === 'none' && crowd === 'many' ? 2_600 : pages.count;
      const fake = await startRestFake(style, fault, { count, pageSize: pages.pageSize });
      const parts = overHttp(fake.source, fake.server, fake.elsewhere);
      return {
        ...parts,
        // Such pages continue after the id of the last person: an odd one is told, and the read is not complete.
        spoil: (owners, numbers) =>
          parts.spoil?.(owners, new Map([...numbers].filter(([id]) => style !== 'after-id' || id !== owners[7]))) ?? {
            most: 0,
          },
        field: 'id',
        identifications: humans(count, fault).map(({ id }) => id.replace('#', '')),
      };
    },
    impossible: impossibleOverHttp('an answer shows one moment; see `person slipped`', impossible),
    ...more,
  };
}

const oneAnswer = 'one answer holds all employees';

export const restNone = restCase(
  'none',
  {
    'page again': oneAnswer,
    'cursor again': oneAnswer,
    'page emptied': oneAnswer,
    'person slipped': oneAnswer,
    'cursor expired': oneAnswer,
    'pages shrink': oneAnswer,
  },
  { ahead: { kind: 'everybody', why: 'one answer has all employees, and is held completely: 64 MB at most' } },
);
export const restOffset = restCase('offset', noCursor);
export const restOffsetOverlap = restCase('offset, no total', { ...noCursor, ...noTotal });
export const restPage = restCase('page', noCursor);
export const restPageNoTotal = restCase('page, no total', { ...noCursor, ...noTotal });
export const restPageInBody = restCase('page-in-body', noCursor);
export const restStartIndex = restCase('start-index', noCursor);
export const restCursor = restCase('cursor', {});
export const restCursorNoTotal = restCase('cursor, no total', noTotal);
export const restAfterId = restCase('after-id', {
  ...noTotal,
  ...goesOnAfter,
  'cursor again': 'the last id is the cursor; see `page again`',
});
export const restNextLink = restCase('next-link', noTotal);
export const restLinkHeader = restCase('link-header', noTotal);
export const restTotalPages = restCase('total-pages', noCursor);
