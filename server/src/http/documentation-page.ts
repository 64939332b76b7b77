import { faviconHref } from '../pages/brand.tsx'
import { tokens } from '../pages/styles/tokens.ts'

/**
 * The page of GET /api/doc. Its addresses are relative, so that it also works where a proxy serves it below a
 * path (TESSERA_DOCS_URL).
 */
export function documentationPage(issuer: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Interface – Tessera</title>
<link rel="icon" href="${faviconHref}">
<link rel="stylesheet" href="doc/swagger-ui.css">
<link rel="stylesheet" href="doc/page.css">
<script src="doc/start.js"></script>
<script src="doc/swagger-ui-bundle.js" defer></script>
</head>
<body>
<header class="top">
<a class="name" href="doc"><img src="${faviconHref}" alt="" width="26" height="26"><span translate="no">Tessera</span></a>
<nav aria-label="Documents">
<a href="${issuer}/.well-known/openid-configuration">Discovery</a>
<a href="doc.json">OpenAPI</a>
</nav>
</header>
<main>
<noscript><p class="note">This page needs JavaScript to show the interface. The same description, for programs and to download, is <a href="doc.json">doc.json</a>.</p></noscript>
<div id="doc"></div>
</main>
</body>
</html>
`
}

/** Runs before the page is painted, then starts Swagger UI. A file of its own: the policy allows no inline script. */
export const starter = `'use strict'
const dark = matchMedia('(prefers-color-scheme: dark)')
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
paint()
dark.addEventListener('change', paint)

// Of whatever somebody opens Swagger UI resolves the whole description anew, for seconds. So it is given what is
// opened, and what that refers to.
const partFor = (description, path) => {
  const { securitySchemes } = description.components
  const part = { ...description, paths: {}, components: { securitySchemes } }
  const take = ([key, ...more], from, to) => {
    if (from[key] === undefined) return
    if (more.length > 0) return take(more, from[key], (to[key] ??= {}))
    to[key] = from[key]
    follow(from[key])
  }
  const follow = (value) => {
    if (value === null || typeof value !== 'object') return
    const reference = typeof value.$ref === 'string' ? value.$ref.slice('#/'.length).split('/') : []
    const [top, kind, name] = reference
    if (top === 'components' && part.components[kind]?.[name] === undefined) take(reference, description, part)
    for (const one of Object.values(value)) follow(one)
  }
  take(path, description, part)
  return part
}
// It fills in whatever has an example, which in a form are the parameters of every grant. So what a form may do
// without is given to it as empty, and nobody has to empty it.
const unfilled = (description) => {
  const copy = structuredClone(description)
  for (const { requestBody } of Object.values(copy.paths).flatMap(Object.values)) {
    const { properties = {}, required = [] } = requestBody?.content?.['application/x-www-form-urlencoded']?.schema ?? {}
    for (const name of Object.keys(properties)) if (!required.includes(name)) properties[name].examples = ['']
  }
  return copy
}
const onlyWhatIsOpened = ({ fn: { resolveSubtree } }) => ({
  fn: { resolveSubtree: (description, path, options) => resolveSubtree(unfilled(partFor(description, path)), path, options) },
})

addEventListener('DOMContentLoaded', () => {
  SwaggerUIBundle({
    url: new URL('doc.json', location.href).href,
    dom_id: '#doc',
    deepLinking: true,
    validatorUrl: null,
    defaultModelsExpandDepth: 0,
    presets: [SwaggerUIBundle.presets.apis],
    plugins: [onlyWhatIsOpened],
  })
})
`

/** Swagger UI in the colours of the other pages; what is wide scrolls by itself, so that a phone shows the rest. */
export const pageStyles = `${tokens}
body { margin: 0; background: var(--ground); color: var(--ink); font-family: var(--sans); }
html.dark-mode, html.dark-mode .swagger-ui { background: var(--ground); }
.top { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; justify-content: space-between;
  max-width: 1460px; margin: 0 auto; padding: 1rem 20px; box-sizing: border-box; }
.top .name { display: flex; gap: .6rem; align-items: center; color: var(--ink); font-size: 1.15rem; font-weight: 650;
  text-decoration: none; }
.top nav { display: flex; gap: 1.25rem; }
.top nav a, .note a { color: var(--accent); }
.top a:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; border-radius: 3px; }
.swagger-ui .info { margin: 1.5rem 0; }
.swagger-ui .info .description { max-width: 95ch; }
.swagger-ui .info summary { cursor: pointer; font-weight: 600; color: var(--accent); padding: .5rem 0; }
.swagger-ui .info a, .swagger-ui .info .base-url, .swagger-ui .markdown a,
.swagger-ui .renderedMarkdown a, .swagger-ui .opblock-description a { color: var(--accent); }
.swagger-ui .header-col, html.dark-mode .swagger-ui .header-col { color: var(--ink); font-weight: 400; }
.swagger-ui .opblock-body td.response-col_links { display: none; }
.swagger-ui .markdown code, .swagger-ui .renderedMarkdown code,
html.dark-mode .swagger-ui .markdown code, html.dark-mode .swagger-ui .renderedMarkdown code {
  background: var(--code); color: var(--ink); font: 500 .92em var(--mono); overflow-wrap: anywhere; }
.note { max-width: 60ch; margin: 2rem auto; padding: 0 20px; }
@media (max-width: 640px) {
  .swagger-ui .opblock-tag { flex-wrap: wrap; }
  .swagger-ui .opblock-tag small { flex-basis: 100%; padding: 0; }
  .swagger-ui .opblock .opblock-summary-path { max-width: none; overflow-wrap: anywhere; word-break: normal; }
  .swagger-ui .opblock .opblock-summary-description { display: none; }
  .swagger-ui .opblock-body table, .swagger-ui .opblock-body tbody, .swagger-ui .opblock-body tr,
  .swagger-ui .opblock-body td { display: block; width: auto; max-width: 100%; min-width: 0; box-sizing: border-box; }
  .swagger-ui .opblock-body thead { display: none; }
  .swagger-ui .opblock-body table tbody tr td:first-of-type { max-width: none; padding: .75rem 0 0; }
  .swagger-ui .opblock-body table tbody tr td { padding: .25rem 0 0; }
  .swagger-ui .opblock-body .table-container { padding: 0 10px 10px; }
  .swagger-ui .opblock-section-header { flex-wrap: wrap; height: auto; }
  .swagger-ui select { max-width: 100%; }
  .swagger-ui .highlight-code, .swagger-ui .markdown table { display: block; max-width: 100%; overflow-x: auto; }
}
`
