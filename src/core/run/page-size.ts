/** Number of users that a scan requests per page, learned from earlier scans of this process. */
export interface PageSize {
  readonly size: number;
  /** Size of the last scan that was complete; 0 before the first. */
  readonly proven: number;
  /** Maximum page size to request. */
  readonly most: number;
}

const smallest = 10;
/** Pages that take longer than this are not enlarged (ms). */
const slowMs = 2000;

/** `size` is the first page size to request, and `most` the limit; a larger `size` is kept. */
export function firstPageSize(size: number, most: number): PageSize {
  return { size, proven: 0, most: Math.max(size, most) };
}

/**
 * Returns the size after the first page of a scan, which failed (undefined) or had this many rows of the total. A grown
 * size that fails, or brings fewer rows than the size before it, is given up.
 */
export function afterFirstPage(known: PageSize, page: { readonly rows: number; readonly total: number } | undefined) {
  const { size, proven } = known;
  const isGrown = proven > 0 && size > proven;
  const isGood = page !== undefined && page.rows >= Math.min(page.total, proven);
  return !isGrown || isGood ? known : { size: proven, proven, most: proven };
}

/** Returns the size after a complete scan whose pages had at most `rows` users and took at most `slowestMs`. */
export function afterScan(known: PageSize, rows: number, slowestMs: number): PageSize {
  const { size, most } = known;
  // Fewer rows than asked for: that is all the platform gives, or all that it has.
  if (rows < size || slowestMs > slowMs) return { size, proven: size, most };
  return { size: Math.min(size * 2, most), proven: size, most };
}

/** Returns the size after a scan that ended because a page was too large for the platform or for its gateway. */
export function afterBreakdown({ size }: PageSize): PageSize {
  const half = Math.min(size, Math.max(smallest, Math.floor(size / 2)));
  return { size: half, proven: 0, most: half };
}
