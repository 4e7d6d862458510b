/**
 * Does it for 1, 2, 3 … (or by steps), `atATime` beside each other, until it says that it is over. Returns how far it
 * came: the last number that was not over.
 */
export async function countUp(
  once: (n: number) => Promise<'killed' | 'over'>,
  { step = 1, atATime = 2 }: { readonly step?: number; readonly atATime?: number } = {},
): Promise<number> {
  let next = 1;
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
