import { usePage } from '../state/page-context.tsx';
import { Button } from './button.tsx';

interface Props {
  readonly query: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    fetchNextPage(): Promise<unknown>;
  };
}

/** Loads the next page of a list. Absent on its last page. */
export function LoadMore({ query }: Props) {
  const { t } = usePage();
  if (!query.hasNextPage) return null;
  return (
    <p className="more">
      <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {t.act.loadMore}
      </Button>
    </p>
  );
}
