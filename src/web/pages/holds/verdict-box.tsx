import type { Schemas } from '../../api/schema.ts';
import { Link, pathTo } from '../../router/router.tsx';
import { useOverview } from '../../state/live.ts';
import { usePage } from '../../state/page-context.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ActivityCell } from '../overview/activity-cell.tsx';

interface Props {
  readonly action: 'approve' | 'reject';
  readonly data: Schemas['Verdict'];
  readonly onDismiss: () => void;
}

/** What became of a decision, and what the sync does with it now. */
export function VerdictBox({ action, data, onDismiss }: Props) {
  const { t } = usePage();
  const overview = useOverview();
  const sync = overview.data?.syncs.find(({ name }) => name === data.sync);
  return (
    <div className={data.isDeploymentRunning || action === 'reject' ? 'box good' : 'box warn'} role="status">
      <Icon name="ok" />
      <div className="grow">
        <strong>{action === 'approve' ? t.holds.approved(data.changes) : t.holds.rejected(data.changes)}</strong>
        <p>
          {action === 'reject'
            ? t.holds.rejectedHint
            : data.isDeploymentRunning
              ? t.holds.approvedHint
              : t.holds.noDeployment}
        </p>
        {sync === undefined ? null : (
          <p>
            <Link to={pathTo('syncs', sync.name)}>{sync.name}</Link>: <ActivityCell sync={sync} />
          </p>
        )}
      </div>
      <Button onClick={onDismiss}>{t.problem.dismiss}</Button>
    </div>
  );
}
