import { expect } from 'vitest';
import { beginPause, endPause } from '../../../src/app/syncs.ts';
import { openTestServer, operatorToken } from '../../server/open-test-server.ts';
import { openBrowserPage, see } from '../../support/browser-page.ts';
import { employees, openOffice, plainMapping, type Row, usersOf } from '../../support/office.ts';

/** Each would call `attack` where a text is taken for HTML, for an attribute, for an address or for a script. */
const corpus = [
  '<script>attack()</script>',
  '<img src=x onerror=attack()>',
  '"><svg onload=attack()>',
  "' onfocus=attack() autofocus x='",
  'javascript:attack()',
  '<iframe srcdoc="<script>parent.attack()</script>">',
  '</title><script>attack()</script>',
  '</textarea><script>attack()</script>',
  '<math><mtext></form><form><mglyph><style></math><img src onerror=attack()>',
  '{{constructor.constructor("attack()")()}}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text is an attack.
  '${attack()}',
  '<details open ontoggle=attack()>',
  '<a href="javascript:attack()">x</a>',
  '\u202e<b onmouseover=attack()>',
];

see('no text of a person, a source or an operator is executed, on any page', async () => {
  const hostile = (i: number): Row => {
    const text = corpus[i % corpus.length] ?? '';
    return { first: text, last: `${text} ${i}`, area: text, office: text, job: text };
  };
  const staff = (more: (i: number) => Row) =>
    employees(28).map((row, i) => ({ ...row, ...hostile(i), ...more(i), status: more(i).status ?? 'active' }));
  const office = await openOffice({
    // The mapping refuses such texts, so most of them stand in accounts that others wrote.
    sandbox: { people: usersOf(employees(28).map((row, i) => ({ ...row, ...hostile(i) }))) },
    sync: { mapping: { ...plainMapping, area: 'area', office: 'office', job: 'job' } },
  });
  const odd = corpus.map((text, i) => ({ ...hostile(i), id: text, mail: `odd${i}@example.com`, status: text }));
  await office.writeEmployees([...staff(() => ({})), ...odd]);
  await office.applyAll();
  const { run, holds } = await office.applyRows(
    staff((i) => (i < 20 ? { status: 'left' } : { mail: corpus[i % corpus.length] ?? '' })),
  );
  const hold = holds[0]?.id ?? '';
  for (const text of corpus) {
    await beginPause(office.app, 'people', { by: text });
    await endPause(office.app, 'people', { by: text });
  }
  await beginPause(office.app, 'people', { by: corpus[1] ?? '' });
  const server = await openTestServer(office.app);
  await server.ask(`/api/holds/${hold}/reject`, {
    method: 'POST',
    body: { ids: ['E1', 'E2'], reason: corpus[0], as: corpus[1] },
  });

  const { page } = await openBrowserPage(server, { token: operatorToken });
  const attacks: string[] = [];
  await page.exposeFunction('attack', () => attacks.push(page.url()));
  page.on('dialog', (dialog) => {
    attacks.push(dialog.message());
    return dialog.dismiss();
  });
  const named = encodeURIComponent(corpus[2] ?? '');
  const paths = [
    ...['/', '/runs', `/runs/${run.id}`, `/runs/${run.id}/changes?by=value:office`, '/holds', '/alerts', '/audit'],
    ...[`/holds/${hold}?by=value:area`, `/holds/${hold}?text=${named}`, '/syncs/people', `/syncs/${named}`],
    ...[`/people?q=${named}`, '/people/people/E3', `/people/people/${named}`, `/audit?by=${named}`, '/connections'],
    ...[`/runs?sync=${named}`, `/sign-in?problem=${named}`, `/${named}`, `/runs/${named}`, `/holds/${named}`],
  ];
  for (const path of paths) {
    await page.goto(`${server.url}${path}`);
    await page.locator('h1, pre').first().waitFor();
    await expect.poll(() => page.locator('.loading, .row.blank').count()).toBe(0);
    for (const turn of (await page.locator('.place .turn button').all()).slice(0, 8)) await turn.click();
  }
  await page.goto(`${server.url}/holds/${hold}`);
  await page.getByRole('treegrid').getByText('<img src=x onerror=attack()>').first().waitFor();
  expect(attacks).toEqual([]);
});
