import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf } from '../../api/client.ts';
import { usePage } from '../../state/page-context.tsx';
import { useMay } from '../../state/session.ts';
import { Button } from '../../ui/button.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { At } from '../../ui/time.tsx';

/** What other systems said in their own words. It may hold personal data, so it is read only when it is asked for. */
export function RawTexts({ id }: { readonly id: string }) {
  const { api, t } = usePage();
  const mayRead = useMay('raw');
  const [isOpen, setOpen] = useState(false);
  const texts = useQuery({
    queryKey: ['run', id, 'raw'],
    queryFn: ({ signal }) => answerOf(api.GET('/api/runs/{id}/raw', { signal, params: { path: { id } } })),
    enabled: isOpen && mayRead,
  });
  if (!mayRead) return null;
  return (
    <section aria-labelledby="raw-title">
      <h2 id="raw-title">{t.runs.raw}</h2>
      {isOpen ? (
        <Loaded query={texts}>
          {({ texts: list }) =>
            list.length === 0 ? (
              <p className="faint">{t.runs.noRaw}</p>
            ) : (
              <ul className="list">
                {list.map(({ at, about, text }) => (
                  <li key={`${at} ${about} ${text}`}>
                    <div className="grow">
                      <span className="faint small">
                        <At at={at} /> · {about}
                      </span>
                      <pre className="raw">{text}</pre>
                    </div>
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      ) : (
        <Button onClick={() => setOpen(true)}>{t.runs.showRaw}</Button>
      )}
    </section>
  );
}
