/** The page's style, for light and dark mode, wide and narrow screens. */
export const docsStyle = `
:root { color-scheme: light dark; --ink: light-dark(#1c2330, #e6e9ef); --dim: light-dark(#5b6575, #9aa4b5);
  --paper: light-dark(#fff, #14181f); --card: light-dark(#f6f7f9, #1c222c); --line: light-dark(#d9dee6, #323a47);
  --link: light-dark(#1257b0, #7fb4ff); --good: light-dark(#17713a, #6fd08f); --bad: light-dark(#a3211d, #ff9089);
  --get: light-dark(#1257b0, #7fb4ff); --post: light-dark(#17713a, #6fd08f); --put: light-dark(#8a5a00, #f0c063);
  --delete: light-dark(#a3211d, #ff9089); --patch: light-dark(#6b3fa0, #c7a2ff); }
* { box-sizing: border-box; }
html { scroll-padding-top: 5.5rem; }
body { margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr); font: 15px/1.5 system-ui, sans-serif;
  color: var(--ink); background: var(--paper); }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
code, pre, textarea, input { font: 13px/1.45 ui-monospace, 'DejaVu Sans Mono', monospace; }
code { overflow-wrap: anywhere; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1rem; border-right: 1px solid var(--line);
  background: var(--card); }
nav h1 { font-size: 1.05rem; margin: 0 0 .25rem; } nav p { margin: 0; color: var(--dim); font-size: .85rem; }
nav h2 { font-size: .75rem; text-transform: uppercase; letter-spacing: .06em; color: var(--dim); margin: 1rem 0 .25rem; }
nav ul { list-style: none; margin: 0; padding: 0; } nav li a { display: block; padding: .1rem 0; color: var(--ink); }
nav .method { display: inline-block; width: 3.6rem; font-size: .68rem; }
main { padding: 0 2rem 4rem; max-width: 64rem; width: 100%; }
.tokens { position: sticky; top: 0; z-index: 1; display: flex; gap: 1rem; padding: .75rem 0; background: var(--paper);
  border-bottom: 1px solid var(--line); }
.tokens label { flex: 1; font-size: .8rem; color: var(--dim); }
.part { margin: 2rem 0 .75rem; text-transform: capitalize; }
article, .schema { border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1rem; margin: 0 0 1rem; }
article h3 { margin: 0; font-size: 1rem; font-weight: 400; } article > p { margin: .25rem 0 .75rem; }
em { color: var(--dim); }
.method { font-size: .75rem; font-family: ui-monospace, monospace; }
.GET { color: var(--get); } .POST { color: var(--post); } .PUT { color: var(--put); } .DELETE { color: var(--delete); }
.PATCH { color: var(--patch); }
table { border-collapse: collapse; width: 100%; font-size: .88rem; }
caption { text-align: left; color: var(--dim); font-size: .8rem; }
th, td { text-align: left; vertical-align: top; padding: .2rem .75rem .2rem 0; border-top: 1px solid var(--line); }
th { font-weight: 500; white-space: nowrap; } .answers th { width: 3.5rem; } .answers td:last-child { text-align: right; padding-right: 0; }
.members th { font-family: ui-monospace, monospace; font-size: 13px; width: 14rem; }
.members small { color: var(--dim); margin-left: .5rem; } .status { font-family: ui-monospace, monospace; } .s2 { color: var(--good); } .s4, .s5 { color: var(--bad); }
.need { color: var(--bad); }
form { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: .6rem 1rem; margin-top: .9rem; align-items: start; }
.field span { display: block; } .field small { color: var(--dim); font-size: .78rem; }
input, textarea { width: 100%; padding: .35rem .5rem; color: inherit; background: var(--card); border: 1px solid var(--line);
  border-radius: 5px; } textarea { resize: vertical; }
.body, button, output { grid-column: 1 / -1; }
button { justify-self: start; padding: .4rem 1.1rem; font: inherit; font-weight: 600; color: var(--paper);
  background: var(--link); border: 0; border-radius: 5px; cursor: pointer; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 1px; }
output { display: block; } output[hidden] { display: none; }
output pre { margin: 0; padding: .3rem .6rem; background: var(--card); overflow: auto; max-height: 24rem; white-space: pre-wrap;
  overflow-wrap: anywhere; }
.schema { padding: .35rem 1rem; margin-bottom: .4rem; } .schema summary { cursor: pointer; } .schema[open] summary { margin-bottom: .3rem; }
@media (max-width: 48rem) { body { display: block; } nav { position: static; height: auto; border: 0; }
  nav ul { columns: 2; } main { padding: 0 1rem 3rem; } .tokens { position: static; flex-direction: column; gap: .4rem; }
  html { scroll-padding-top: .5rem; } .members th { width: auto; } }
`;

/** The page's script: sends a form and shows the answer. Plain JavaScript, as the browser gets it. */
export const docsScript = `
'use strict';
for (const form of document.querySelectorAll('form')) form.addEventListener('submit', send);
addEventListener('hashchange', openTarget);
openTarget();

function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
  if (target) target.scrollIntoView();
}

async function send(event) {
  event.preventDefault();
  const form = event.target;
  const output = form.querySelector('output');
  const query = new URLSearchParams();
  const headers = { authorization: 'Bearer ' + document.getElementById(form.dataset.token).value };
  let path = form.dataset.path;
  for (const input of form.querySelectorAll('input')) {
    const { in: place } = input.dataset;
    if (place === 'path') path = path.replace('{' + input.name + '}', encodeURIComponent(input.value));
    if (place === 'query' && input.value !== '') query.set(input.name, input.value);
    if (place === 'header' && input.value !== '') headers[input.name] = input.value;
  }
  const body = form.querySelector('textarea')?.value;
  if (body !== undefined) headers['content-type'] = 'application/json';
  const url = path + (query.size === 0 ? '' : '?' + query);
  output.hidden = false;
  output.replaceChildren(line('call', form.dataset.method + ' ' + url), line('', '…'));
  try {
    const response = await fetch(url, { method: form.dataset.method, headers, body });
    const text = await response.text();
    const status = line('status s' + String(response.status)[0], String(response.status));
    output.replaceChildren(line('call', form.dataset.method + ' ' + url), status, line('', pretty(text) || 'no body'));
  } catch (error) {
    output.replaceChildren(line('status s5', 'no answer'), line('', String(error)));
  }
}

function line(className, text) {
  const element = document.createElement('pre');
  element.className = className;
  element.textContent = text;
  return element;
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
`;
