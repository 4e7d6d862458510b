import type { ReadEnd } from '../../core/plan/snapshot.ts';
import type { SourceIo, SourcePage } from '../../ports/source.ts';
import { addDigest } from './key-set.ts';
import { compileKeyOf, type PagedRead, readPages } from './pages.ts';

/** A list of pages whose end alone may prove nothing. */
export interface UnprovenRead<P> extends PagedRead<P> {
  /** Whether a person may have been missed between two pages so far without a sign. */
  maySlip(): boolean;
}

/**
 * Reads a list, and reads it again where a person may have been missed. A person who moved between two pages in the
 * first read would have to move again to be missed. The second read is not stored: of both, only 32 bytes are held.
 */
export async function* readConfirmed<P>(
  open: (isAgain: boolean) => UnprovenRead<P>,
  io: SourceIo,
): AsyncGenerator<SourcePage, ReadEnd> {
  const first = open(false);
  const seen = openSummed(first, io);
  const end = yield* seen.pages;
  if (!end.complete || !first.maySlip()) return end;
  const again = openSummed(open(true), io);
  let next = await again.pages.next();
  while (next.done !== true) next = await again.pages.next();
  if (next.value.complete && again.sum() === seen.sum()) return { ...end, evidence: `${end.evidence}, read twice` };
  const { rows, notReturned } = end;
  return { complete: false, rows, reasons: [othersCame], ...(notReturned === undefined ? {} : { notReturned }) };
}

/** Reads the pages, and sums up the keys of their people in any order. */
function openSummed<P>(read: PagedRead<P>, io: SourceIo) {
  const keyOf = compileKeyOf(read);
  const words = new Uint32Array(8);
  let people = 0;
  const page: PagedRead<P>['page'] = async (place, number) => {
    const found = await read.page(place, number);
    people += found.people.length;
    for (const fields of found.people) addDigest(words, keyOf(fields) ?? '');
    return found;
  };
  return { pages: readPages({ ...read, page }, io), sum: () => `${people} ${words.join(' ')}` };
}

const othersCame =
  'nothing proves that the list is complete, so it was read twice, and the second read returned other people: one may be ' +
  'missing between two pages. The next run reads again; an exact total avoids the second read';
