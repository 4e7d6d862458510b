/** Looks again and again until there is something to see; gives up after `withinMs`. A look that fails ends it. */
export async function until<Seen>(
  what: string,
  look: () => Promise<Seen | undefined>,
  { withinMs = 60_000, everyMs = 100 }: { readonly withinMs?: number; readonly everyMs?: number } = {},
): Promise<Seen> {
  const from = performance.now();
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (performance.now() - from > withinMs) throw new Error(`not within ${withinMs / 1000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
