import { usePage } from '../state/page-context.tsx';
import { wordOf } from '../texts/plural.ts';
import { Badge, type Tone } from './badge.tsx';
import type { IconName } from './icon.tsx';

const good = new Set<string>(['ready', 'static']);
const passing = new Set<string>(['refreshing']);

/** The state of the token of a connection. */
export function TokenBadge({ state }: { readonly state: string }) {
  const { t } = usePage();
  const [tone, icon]: readonly [Tone, IconName] = good.has(state)
    ? ['good', 'ok']
    : passing.has(state)
      ? ['warn', 'clock']
      : ['bad', 'warn'];
  return (
    <Badge tone={tone} icon={icon}>
      {wordOf(t.words.token, state)}
    </Badge>
  );
}
