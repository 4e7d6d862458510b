import { type FormEvent, useRef } from 'react';
import { pathTo, useRouter } from '../../router/router.tsx';
import { useOverview } from '../../state/live.ts';
import { usePage } from '../../state/page-context.tsx';
import { Button } from '../../ui/button.tsx';
import { PageHead } from '../../ui/page-head.tsx';

/** Opens the page of a person by identification. */
export function PeoplePage({ asked }: { readonly asked: string }) {
  const { t } = usePage();
  const { navigate } = useRouter();
  const { data } = useOverview();
  const sync = useRef<HTMLSelectElement>(null);
  const name = useRef<HTMLInputElement>(null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const [of, id] = [sync.current?.value ?? '', name.current?.value.trim() ?? ''];
    if (of !== '' && id !== '') navigate(pathTo('people', of, id));
  };
  return (
    <>
      <PageHead title={t.people.title} />
      <form className="card line stretch" onSubmit={submit}>
        <label className="inline">
          {t.overview.syncs.name}
          <select ref={sync} required>
            {(data?.syncs ?? []).map(({ name: one }) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
        <label className="inline">
          {t.people.identification}
          <input ref={name} key={asked} defaultValue={asked} required autoComplete="off" spellCheck={false} />
        </label>
        <Button type="submit" look="main">
          {t.people.lookUp}
        </Button>
      </form>
    </>
  );
}
