import { Link } from '../router/router.tsx';
import { usePage } from '../state/page-context.tsx';
import { Empty } from '../ui/empty.tsx';
import { PageHead } from '../ui/page-head.tsx';

export function NotFoundPage() {
  const { t } = usePage();
  return (
    <>
      <PageHead title={t.problem.notFound} />
      <Empty title={t.problem.notFoundHint}>
        <Link to="/">{t.problem.toOverview}</Link>
      </Empty>
    </>
  );
}
