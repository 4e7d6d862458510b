/* The script of the page: sends a form and shows the answer. The browser gets it as it is. */

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
  const headers = { authorization: `Bearer ${document.getElementById(form.dataset.token).value}` };
  let path = form.dataset.path;
  for (const input of form.querySelectorAll('input')) {
    const { in: place } = input.dataset;
    if (place === 'path') path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
    if (place === 'query' && input.value !== '') query.set(input.name, input.value);
    if (place === 'header' && input.value !== '') headers[input.name] = input.value;
  }
  const body = form.querySelector('textarea')?.value;
  if (body !== undefined) headers['content-type'] = 'application/json';
  const url = path + (query.size === 0 ? '' : `?${query}`);
  output.hidden = false;
  output.replaceChildren(line('call', `${form.dataset.method} ${url}`), line('', '…'));
  try {
    const response = await fetch(url, { method: form.dataset.method, headers, body });
    const text = await response.text();
    const status = line(`status s${String(response.status)[0]}`, String(response.status));
    output.replaceChildren(line('call', `${form.dataset.method} ${url}`), status, line('', pretty(text) || 'no body'));
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
