/**
 * Does it for the first number and then by steps, `atATime` beside each other, until it says that it is over. Returns how
 * far it came: the last number before that.
 */
export async function countUp(
  once: (n: number) => Promise<'killed' | 'over'>,
  { first, step, atATime = 2 }: { readonly first: number; readonly step: number; readonly atATime?: number },
): Promise<number> {
  let next = first;
  const take = (): number => {
    const n = next;
    next += step;
    return n;
  };
  let over = Number.POSITIVE_INFINITY;
  const work = async (): Promise<void> => {
    for (let n = take(); n < over; n = take()) {
      if ((await once(n)) === 'over') over = Math.min(over, n);
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
  return over - 1;
}
