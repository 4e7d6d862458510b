import { usePage } from '../state/page-context.tsx';
import { wordOf } from '../texts/plural.ts';
import { Icon, type IconName } from '../ui/icon.tsx';

const icons: Readonly<Record<string, IconName>> = {
  create: 'plus',
  update: 'wave',
  enable: 'ok',
  disable: 'minus',
  remove: 'bad',
};

/** What a change does, as a mark and a word. */
export function KindMark({ kind }: { readonly kind: string }) {
  const { t } = usePage();
  return (
    <span className={`kind-mark ${kind}`}>
      <Icon name={icons[kind] ?? 'wave'} />
      {wordOf(t.words.kind, kind)}
    </span>
  );
}
