/** The dashboard's script. Plain JavaScript, as the browser gets it. All data is inserted as text, never as HTML. */
export const dashboardScript = `
'use strict';
const key = 'rollcall-token';
// The read of a run: the short word that the terminal shows, and its description.
const reads = { full: ['full', 'all employees'], delta: ['delta', 'only changed employees'], point: ['named', 'only the named employees'] };
const at = (id) => document.getElementById(id);
// The address may name a run: /classic/runs/RUN.
const askedRun = (/^\\/classic\\/runs\\/([^/]+)$/.exec(location.pathname) || [])[1];
let token = sessionStorage.getItem(key);
let timer;

at('enter').addEventListener('submit', (event) => {
  event.preventDefault();
  token = at('token').value.trim();
  sessionStorage.setItem(key, token);
  refresh();
});
at('leave').addEventListener('click', leave);
at('ask').addEventListener('submit', (event) => { event.preventDefault(); lookUp(); });
document.addEventListener('visibilitychange', () => { if (!document.hidden && token) refresh(); });
if (token) refresh();

function leave() {
  sessionStorage.removeItem(key);
  token = null;
  clearTimeout(timer);
  at('token').value = '';
  for (const id of ['run', 'syncs', 'held', 'runs', 'person', 'ask-sync']) at(id).replaceChildren();
  at('board').hidden = at('leave').hidden = true;
  at('enter').hidden = false;
  say('');
}

async function call(path, method = 'GET', body) {
  const headers = { authorization: 'Bearer ' + token };
  if (body !== undefined) headers['content-type'] = 'application/json';
  const response = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  throw Object.assign(new Error(answer.detail || 'The server answered ' + response.status), { status: response.status });
}

function fail(error) {
  if (error.status === 401) leave();
  say(error.message, true);
}

async function refresh() {
  clearTimeout(timer);
  const asking = token;
  try {
    const [{ syncs }, { runs }] = await Promise.all([call('/api/syncs'), call('/api/runs?limit=20')]);
    if (token !== asking) return;
    at('enter').hidden = true;
    at('board').hidden = at('leave').hidden = false;
    at('syncs').replaceChildren(...syncs.map(syncCard));
    at('runs').replaceChildren(runs.length === 0 ? make('p', 'dim', 'No run yet.') : runTable(runs));
    fillSyncs(syncs);
    await showHeld(syncs, runs);
    if (askedRun) await showRun(decodeURIComponent(askedRun));
    say('Updated at ' + new Date().toLocaleTimeString());
  } catch (error) {
    fail(error);
  }
  if (token && !document.hidden) timer = setTimeout(refresh, 10000);
}

function syncCard(sync) {
  const tones = { running: 'warn', paused: 'bad', waiting: 'warn', idle: 'good' };
  const card = make('article', 'card');
  const head = make('header');
  head.append(make('h3', '', sync.name), make('span', 'badge ' + tones[sync.state], sync.state));
  const list = make('dl');
  const fresh = sync.freshAt === null ? 'never' : ago(sync.freshAt);
  const last = sync.lastRun;
  row(list, 'Fresh', fresh, sync.freshAt === null ? 'bad' : '');
  row(list, 'Last run', last === null ? 'none' : standing(last) + ', ' + ago(last.startedAt), last ? toneOf(last) : '');
  if (last && last.reason) row(list, 'Because', last.reason);
  if (last && last.read !== null) row(list, 'Read', reads[last.read][1]);
  row(list, 'Next', sync.nextSlotAt === null ? (sync.schedule ? 'after it is resumed' : 'on request') : when(sync.nextSlotAt));
  if (sync.pausedAt) row(list, 'Paused', ago(sync.pausedAt) + ' by ' + sync.pausedBy);
  row(list, 'To', sync.connection + ', ' + sync.policy);
  const actions = make('div', 'actions');
  const base = '/api/syncs/' + encodeURIComponent(sync.name);
  actions.append(button('Run now', () => act('Run ' + sync.name + ' now, for all employees?', base + '/runs', {})));
  actions.append(sync.pausedAt
    ? button('Resume', () => act('Resume ' + sync.name + '? Waiting requests start at once.', base + '/resume'))
    : button('Pause', () => act('Pause ' + sync.name + '? No run starts until it is resumed.', base + '/pause')));
  card.append(head, list, actions);
  return card;
}

async function showRun(id) {
  at('run-section').hidden = false;
  const run = await call('/api/runs/' + encodeURIComponent(id)).catch((error) => ({ error }));
  if (run.error) {
    at('run').replaceChildren(make('p', 'bad', run.error.message));
    return;
  }
  const list = make('dl');
  row(list, 'Sync', run.sync);
  row(list, 'Run', run.id);
  row(list, 'Result', standing(run) + ', ' + ago(run.startedAt), toneOf(run));
  if (run.reason) row(list, 'Because', run.reason);
  const findings = make('ul');
  for (const { identification, message } of run.findings.slice(0, 100)) {
    findings.append(make('li', '', (identification ? identification + ': ' : '') + message));
  }
  at('run').replaceChildren(list, findings);
}

async function showHeld(syncs, runs) {
  const newest = new Map();
  for (const run of [...syncs.map(({ lastRun }) => lastRun), ...runs]) {
    if (run !== null && (run.outcome === 'held' || run.counts.held > 0) && !newest.has(run.sync)) newest.set(run.sync, run.id);
  }
  const details = await Promise.all([...newest.values()].map((id) => call('/api/runs/' + id)));
  const cards = details.flatMap((run) => {
    const open = run.holds.filter(({ state }) => state === 'open');
    // A doubted read holds no change, and can be approved only until the next run.
    const isDoubted = run.holds.length === 0 && syncs.some(({ lastRun }) => lastRun !== null && lastRun.id === run.id);
    return open.length > 0 || isDoubted ? [holdCard(run, open)] : [];
  });
  at('held').replaceChildren(...(cards.length === 0 ? [make('p', 'dim', 'No changes are waiting for approval.')] : cards));
}

function holdCard(run, holds) {
  const card = make('article', 'hold');
  const head = make('header');
  head.append(make('h3', '', run.sync), make('span', 'id dim', run.id));
  card.append(head);
  if (holds.length === 0) card.append(make('p', '', run.reason || ''));
  for (const hold of holds) card.append(make('p', '', hold.reason), make('p', 'dim', 'Expires ' + when(hold.expiresAt)));
  const actions = make('div', 'actions');
  const path = '/api/runs/' + run.id;
  const yes = button('Approve…', () => actOnHeld(run, 'Approve', path + '/approve'));
  yes.classList.add('act');
  actions.append(yes, button('Reject…', () => actOnHeld(run, 'Reject', path + '/reject')));
  card.append(actions);
  return card;
}

async function actOnHeld(run, word, path) {
  try {
    const { changes, next } = await call('/api/runs/' + run.id + '/changes?state=held&limit=200');
    const people = changes.map(({ identification, kind, reason }) => kind + ' ' + identification + ': ' + reason);
    const shown = changes.length;
    if (next !== null) people.push('… and ' + (run.counts.held - shown) + ' more, which keep waiting');
    // Only what is shown is decided. A doubted read is accepted with the last of its changes.
    const ids = changes.map(({ identification }) => identification);
    const withRead = word === 'Approve' && next === null && run.facts.isReadDoubted === true;
    const read = 'the read of ' + run.sync + (run.facts.doubt ? ' (' + run.facts.doubt + ')' : '');
    const many = shown === 1 ? '1 change' : shown + ' changes';
    const what = shown === 0 ? read : many + ' of ' + run.sync + (withRead ? ', and ' + read : '');
    await act(word + ' ' + what + '?', path, shown === 0 || withRead ? {} : { ids }, people);
  } catch (error) {
    fail(error);
  }
}

async function act(question, path, body, examples = []) {
  if (!(await isMeant(question, examples))) return;
  try {
    await call(path, 'POST', body);
    await refresh();
  } catch (error) {
    fail(error);
  }
}

function isMeant(question, examples) {
  const dialog = at('confirm');
  at('question').textContent = question;
  at('examples').replaceChildren(...examples.map((text) => make('li', '', text)));
  dialog.returnValue = 'no';
  dialog.showModal();
  return new Promise((done) => dialog.addEventListener('close', () => done(dialog.returnValue === 'yes'), { once: true }));
}

function runTable(runs) {
  const table = make('table');
  const head = make('thead');
  const titles = make('tr');
  for (const title of ['Sync', 'Began', 'Read', 'Outcome', 'Changes', '', 'Because']) titles.append(make('th', '', title));
  head.append(titles);
  const body = make('tbody');
  const most = Math.max(1, ...runs.map((run) => totalOf(run.counts)));
  for (const run of runs) {
    const line = make('tr');
    const picture = make('td', 'picture');
    picture.append(bars(run.counts, most));
    const began = make('td', 'dim began', ago(run.startedAt));
    began.title = run.id + ', ' + new Date(run.startedAt).toLocaleString();
    const read = make('td', 'dim', run.read === null ? '–' : reads[run.read][0]);
    if (run.read !== null) read.title = reads[run.read][1];
    line.append(make('td', '', run.sync), began, read, make('td', toneOf(run), standing(run)),
      make('td', '', wordsOf(run.counts)), picture, make('td', 'reason', run.reason || ''));
    body.append(line);
  }
  table.append(head, body);
  return table;
}

function totalOf(counts) {
  return counts.create + counts.update + counts.enable + counts.disable + counts.remove;
}

function wordsOf(counts) {
  const kinds = ['create', 'update', 'enable', 'disable', 'remove'];
  return kinds.filter((kind) => counts[kind] > 0).map((kind) => counts[kind] + ' ' + kind).join(', ') || 'none';
}

function bars(counts, most) {
  const total = totalOf(counts);
  const bad = counts.failed + counts.unresolved;
  const applied = counts.applied + counts.unverified;
  const parts = [['applied', applied], ['held', counts.held], ['failed', bad], ['planned', Math.max(0, total - applied - counts.held - bad)]];
  const picture = svg('svg', { viewBox: '0 0 100 8', preserveAspectRatio: 'none', role: 'img' });
  picture.setAttribute('aria-label', parts.filter(([, many]) => many > 0).map(([name, many]) => many + ' ' + name).join(', ') || 'no changes');
  let x = 0;
  for (const [name, many] of parts) {
    if (many === 0) continue;
    const width = Math.max(1.5, (many / most) * 100);
    picture.append(svg('rect', { class: name, x, y: 0, width: Math.min(width, 100 - x), height: 8 }));
    x += width;
  }
  if (total === 0) picture.append(svg('rect', { class: 'none', x: 0, y: 3.5, width: 100, height: 1 }));
  return picture;
}

function fillSyncs(syncs) {
  const select = at('ask-sync');
  const names = syncs.map(({ name }) => name);
  if ([...select.options].map(({ value }) => value).join() === names.join()) return;
  select.replaceChildren(...names.map((name) => { const option = make('option', '', name); option.value = name; return option; }));
}

// Stored history is shown at once, and stays when the source cannot be read. Each lookup fills its own elements, so a
// slower lookup cannot overwrite the next one.
async function lookUp() {
  const [now, past] = [make('div'), make('div')];
  now.append(make('p', 'dim', 'Reading the source and the platform…'));
  at('person').replaceChildren(now, past);
  const path = '/api/syncs/' + encodeURIComponent(at('ask-sync').value) + '/people/' + encodeURIComponent(at('ask-person').value.trim());
  await Promise.all([
    fill(now, async () => personNow(await call(path))),
    fill(past, async () => [personPast((await call(path + '/history?limit=10')).history)]),
  ]);
}

async function fill(place, ask) {
  try {
    place.replaceChildren(...(await ask()));
  } catch (error) {
    place.replaceChildren(make('p', 'bad', error.message));
  }
}

function personNow(person) {
  const list = make('dl');
  const { decision } = person;
  const says = person.says || { says: 'nothing is decided from this read', reason: person.failure };
  row(list, 'Source', says.says + (says.reason ? ': ' + says.reason : '') + ', ' + person.records.length + ' record' + (person.records.length === 1 ? '' : 's'));
  row(list, 'Platform', person.lookup.found === true ? (person.lookup.user.enabled ? 'an enabled user' : 'a disabled user') : 'no such user');
  row(list, 'Rollcall', person.ledger ? 'owned by ' + person.ledger.owner : 'never wrote this user');
  if (decision) row(list, 'Decision', decision.change ? decision.change.kind + ': ' + decision.change.reason : (decision.forbidden ? 'nothing: ' + decision.forbidden + ' is not allowed here' : 'no change') + ' (' + decision.rule + ')');
  for (const finding of person.findings) row(list, 'Finding', finding.message, 'warn');
  const all = make('details');
  all.append(make('summary', '', 'Everything'), make('pre', '', JSON.stringify(person, null, 2)));
  return [list, all];
}

function personPast(history) {
  if (history.length === 0) return make('p', 'dim', 'No run has changed this user.');
  const past = make('ul');
  for (const one of history) past.append(make('li', '', ago(one.at) + ': ' + one.kind + ', ' + one.state + ' (' + (one.stateReason || one.reason) + ')'));
  return past;
}

function standing({ outcome, phase }) { return (outcome || phase).replaceAll('-', ' '); }

function toneOf({ outcome }) {
  if (outcome === null || outcome === 'held') return 'warn';
  return outcome === 'failed' || outcome === 'partial' || outcome === 'cancelled' ? 'bad' : 'good';
}

function ago(instant) {
  const seconds = Math.round((Date.now() - Date.parse(instant)) / 1000);
  if (seconds < 60) return 'just now';
  if (seconds < 5400) return Math.round(seconds / 60) + ' min ago';
  return seconds < 129600 ? Math.round(seconds / 3600) + ' h ago' : Math.round(seconds / 86400) + ' days ago';
}

function when(instant) {
  const time = new Date(instant);
  const isToday = time.toDateString() === new Date().toDateString();
  return isToday ? time.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' }) : time.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
}

function row(list, name, text, tone = '') { list.append(make('dt', '', name), make('dd', tone, text)); }

function button(text, press) {
  const one = make('button', '', text);
  one.type = 'button';
  one.addEventListener('click', press);
  return one;
}

function make(tag, className = '', text = '') {
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  if (text !== '') element.textContent = text;
  return element;
}

function svg(tag, attributes) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function say(text, isBad = false) {
  at('notice').textContent = text;
  at('notice').className = isBad ? 'bad' : '';
}
`;
