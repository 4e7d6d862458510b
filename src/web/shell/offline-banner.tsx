import { useEffect, useState } from 'react';
import type { Live } from '../state/live.ts';
import { useNow } from '../state/now.tsx';
import { usePage } from '../state/page-context.tsx';
import { Icon } from '../ui/icon.tsx';

/** A restart of the server, or the change to another replica, takes less. */
const delayMs = 2000;

export function OfflineBanner({ live }: { readonly live: Live }) {
  const { t, f } = usePage();
  const now = useNow();
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (live.state !== 'offline') return setShown(false);
    const timer = setTimeout(() => setShown(true), delayMs);
    return () => clearTimeout(timer);
  }, [live.state]);
  if (!isShown) return null;
  const at = live.at === undefined ? undefined : f.instant(new Date(live.at).toISOString(), now);
  return (
    <div className="banner" role="status">
      <Icon name="warn" />
      {at === undefined ? t.live.bannerNothing : t.live.banner(at)}
    </div>
  );
}
