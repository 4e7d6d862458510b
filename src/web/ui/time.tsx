import { useNow } from '../state/now.tsx';
import { usePage } from '../state/page-context.tsx';

interface Props {
  /** ISO 8601; null: it never was. */
  readonly at: string | null;
  readonly missing?: string;
}

/** An age such as `4 min ago`. The exact time with its zone is in the tooltip. */
export function Ago({ at, missing }: Props) {
  const { t } = usePage();
  return <Time at={at} missing={missing ?? t.time.never} format="relative" />;
}

/** A date and time of day. The seconds and the zone are in the tooltip. */
export function At({ at, missing = '–' }: Props) {
  return <Time at={at} missing={missing} format="instant" />;
}

function Time({ at, missing, format }: Required<Props> & { readonly format: 'relative' | 'instant' }) {
  const { f } = usePage();
  const now = useNow();
  if (at === null) return <span className="faint">{missing}</span>;
  return (
    <time dateTime={at} title={f.fullInstant(at)}>
      {f[format](at, now)}
    </time>
  );
}
