import type { Schemas } from '../../api/schema.ts';
import { usePage } from '../../state/page-context.tsx';

/** What a delivery takes: files, requests and time. */
export function EffectWords({ budget }: { readonly budget: Schemas['Effect']['budget'] }) {
  const { t, f } = usePage();
  if (budget === null) return t.holds.noEstimate;
  const { files, requests, seconds } = budget;
  return t.holds.effect(files, requests, seconds < 60 ? undefined : f.duration(seconds * 1000));
}
