import { usePage } from '../state/page-context.tsx';
import { wordOf } from '../texts/plural.ts';
import { Icon, type IconName } from './icon.tsx';

const icons: Readonly<Record<string, IconName>> = {
  create: 'plus',
  update: 'wave',
  enable: 'ok',
  disable: 'minus',
  remove: 'bad',
};

/** What a change does, as a mark and a word, or as a mark and a number. */
export function KindMark({ kind, count }: { readonly kind: string; readonly count?: string }) {
  const { t } = usePage();
  const word = wordOf(t.words.kind, kind);
  return (
    <span className={`kind-mark ${kind}`}>
      <Icon name={icons[kind] ?? 'wave'} />
      {count === undefined ? (
        word
      ) : (
        <>
          {count}
          <span className="unseen"> {word}</span>
        </>
      )}
    </span>
  );
}
