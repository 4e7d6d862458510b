import type { JsonObject } from '../../platform/table/index.ts';
import { docsScript } from './docs-script.ts';
import { docsStyle } from './docs-style.ts';
import { type Html, html } from './html.ts';
import { renderSchema, renderType } from './render-schema.ts';
import { sampleBody, sampleParameter } from './sample-body.ts';

/** Initial tokens of the forms. Without an application token, its form field is left out. */
export interface DocsTokens {
  readonly accessToken: string;
  readonly applicationToken?: string;
  readonly refreshToken?: string;
}

/** The parts of an OpenAPI document that the page uses. */
interface ShownDocument {
  readonly info: JsonObject;
  readonly paths: Readonly<Record<string, Readonly<Record<string, ShownOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonObject>> };
}

interface ShownOperation extends JsonObject {
  readonly operationId: string;
  /** A shorter name of the operation, where it has one. */
  readonly 'x-operation'?: string;
  readonly responses: Readonly<Record<string, JsonObject>>;
}

interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: ShownOperation;
}

/** Renders the document as one self-contained page: operations by part, schemas, and a form to try each operation. */
export function renderDocsPage(document: ShownDocument, tokens: DocsTokens): string {
  const entries = Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    )
    .sort((a, b) => safeOrder.indexOf(a.method) - safeOrder.indexOf(b.method));
  const parts = partsOf(entries);
  const { schemas } = document.components;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${String(document.info.title)}</title>
<link rel="icon" href="data:,">
<style>${{ html: docsStyle }}</style>
</head>
<body>
<nav aria-label="Operations">
<h1>${String(document.info.title)}</h1>
<p><a href="/">start</a> · <a href="/openapi.json">openapi.json</a> · ${entries.length} operations</p>
${parts.map((part) => renderContents(part, entries))}
<h2><a href="#schemas">schemas</a></h2>
</nav>
<main>
<section class="tokens" aria-label="Tokens">
<label>Access token <input id="accessToken" value="${tokens.accessToken}" spellcheck="false" autocomplete="off"></label>
${
  tokens.applicationToken === undefined
    ? undefined
    : html`<label>Application token <input id="applicationToken" value="${tokens.applicationToken}" spellcheck="false" autocomplete="off"></label>`
}
</section>
${parts.map(
  (part) => html`<h2 class="part">${part}</h2>
${entries.filter((entry) => String(entry.operation.tags) === part).map((entry) => renderEntry(entry, schemas, tokens))}`,
)}
<h2 class="part" id="schemas">schemas</h2>
${Object.entries(schemas).map(
  ([name, schema]) =>
    html`<details class="schema" id="schema-${name}"><summary><code>${name}</code></summary>${renderSchema(schema)}</details>`,
)}
</main>
<script>${{ html: docsScript }}</script>
</body>
</html>
`;
  return page.html;
}

function nameOf(operation: ShownOperation): string {
  return operation['x-operation'] ?? operation.operationId;
}

/** What reads comes first, and what deletes last, because a page is tried from the top. */
const safeOrder = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Tokens last: their calls end the tokens of this page. */
function partsOf(entries: readonly Entry[]): readonly string[] {
  const parts = [...new Set(entries.map(({ operation }) => String(operation.tags)))];
  return [...parts.filter((part) => part !== 'tokens'), ...parts.filter((part) => part === 'tokens')];
}

function renderContents(part: string, entries: readonly Entry[]): Html {
  const own = entries.filter(({ operation }) => String(operation.tags) === part);
  return html`<h2>${part}</h2>
<ul>${own.map(
    ({ method, operation }) =>
      html`<li><a href="#${nameOf(operation)}"><b class="method ${method}">${method}</b> ${nameOf(operation)}</a></li>`,
  )}</ul>`;
}

function renderEntry({ method, path, operation }: Entry, schemas: Schemas, tokens: DocsTokens): Html {
  const id = nameOf(operation);
  const parameters = operation.parameters as readonly JsonObject[];
  return html`<article id="${id}">
<h3><b class="method ${method}">${method}</b> <code>${path}</code></h3>
<p>${String(operation.summary)}.${operation.description === undefined ? undefined : html` <em>${String(operation.description)}</em>`}</p>
<table class="answers"><caption>Answers</caption>${Object.entries(operation.responses).map(renderAnswer)}</table>
<form data-method="${method}" data-path="${path}" data-token="${tokenOf(operation)}">
${parameters.map((parameter) => renderParameter(parameter, id))}
${renderBody(operation, schemas, tokens)}
<button type="submit">Try it</button>
<output for="${id}" hidden></output>
</form>
</article>`;
}

type Schemas = ShownDocument['components']['schemas'];

function tokenOf(operation: ShownOperation): string {
  return JSON.stringify(operation.security).includes('applicationToken') ? 'applicationToken' : 'accessToken';
}

function renderAnswer([status, answer]: [string, JsonObject]): Html {
  const content = answer.content as Readonly<Record<string, { readonly schema: JsonObject }>> | undefined;
  const schema = Object.values(content ?? {})[0]?.schema;
  return html`<tr>
<th><b class="status s${status.slice(0, 1)}">${status}</b></th>
<td>${String(answer.description)}</td>
<td>${schema === undefined ? 'no body' : renderType(schema)}</td>
</tr>`;
}

function renderParameter(parameter: JsonObject, operationId: string): Html {
  const {
    name,
    in: place,
    description,
    schema,
    required,
    example,
  } = parameter as {
    name: string;
    in: string;
    description?: string;
    schema: JsonObject;
    required: boolean;
    example?: string;
  };
  const sample = place === 'path' ? sampleParameter(name, operationId) : place === 'header' ? 'en' : '';
  const value = example ?? sample;
  const hint = schema.default === undefined ? '' : `default ${String(schema.default)}`;
  return html`<label class="field"><span><code>${name}</code>${required ? html` <b class="need">*</b>` : undefined} <small>${place}, ${renderType(schema)}</small></span>
<input name="${name}" data-in="${place}" value="${value}" placeholder="${hint}" autocomplete="off">
<small>${description}</small></label>`;
}

function renderBody(operation: ShownOperation, schemas: Schemas, { refreshToken }: DocsTokens): Html | undefined {
  const body = operation.requestBody as { content: Record<string, ShownContent> } | undefined;
  const content = body?.content['application/json'];
  if (content === undefined) return undefined;
  const { schema, example } = content;
  const resolve = ({ $ref, ...rest }: JsonObject): JsonObject => schemas[String($ref).split('/').at(-1) ?? ''] ?? rest;
  const sample: JsonObject = {
    ...(example ?? sampleBody(schema, resolve)),
    ...ownSample(nameOf(operation), refreshToken),
  };
  return html`<label class="field body"><span><code>body</code> <b class="need">*</b> <small>${Object.keys(body?.content ?? {}).join(' or ')}, ${renderType(schema)}</small></span>
<textarea name="body" rows="${Object.keys(sample).length + 2}" spellcheck="false">${JSON.stringify(sample, undefined, 2)}</textarea></label>`;
}

interface ShownContent {
  readonly schema: JsonObject;
  readonly example?: JsonObject;
}

/** A sample that needs a valid refresh token. */
function ownSample(operationId: string, refreshToken: string | undefined): JsonObject {
  return operationId === 'token' && refreshToken !== undefined ? { refresh_token: refreshToken } : {};
}
