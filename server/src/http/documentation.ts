import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { asset } from '../pages/asset.ts'
import { faviconHref } from '../pages/brand.tsx'
import { apiDocClient } from '../protocol/built-in-clients.ts'
import { pathOfIssuer } from '../protocol/issuer-path.ts'
import { namedScopes } from '../protocol/scope.ts'
import { version } from '../protocol/version.ts'
import type { Service } from '../service.ts'

/** GET /api/doc, an interactive page whose every asset is ours, and GET /api/doc.json, OpenAPI 3.1 (interface §4.8). */
export function documentation(app: FastifyInstance, service: Service): void {
  let document: Buffer | undefined
  app.get('/api/doc.json', async (_request, reply) => {
    document ??= await description(service)
    return reply
      .header('cache-control', 'public, max-age=300')
      .type('application/json; charset=utf-8')
      .send(document)
  })
  const pages = [
    { path: '/api/doc', html: interfacePage(service), policy: interfacePolicy(service) },
    { path: '/api/doc/oauth2-redirect', html: signedInPage, policy: "script-src 'self'" },
  ]
  for (const { path, html, policy } of pages) {
    const strict = `default-src 'none'; ${policy}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
    app.get(path, async (_request, reply) => {
      reply.header('content-security-policy', strict).header('cache-control', 'no-store')
      return reply.type('text/html; charset=utf-8').send(html)
    })
  }
  for (const [file, read] of Object.entries(files)) {
    const type = file.endsWith('.css') ? 'text/css' : 'text/javascript'
    let content: Buffer | undefined
    app.get(`/api/doc/${file}`, async (_request, reply) => {
      content ??= Buffer.from(read(file))
      return reply
        .header('cache-control', 'public, max-age=3600')
        .type(`${type}; charset=utf-8`)
        .send(content)
    })
  }
}

/**
 * Loaded when it is first asked for: describing every schema takes longer than the rest of a start. Kept as bytes: to turn
 * 1.2 MB of text into them takes longer than the rest of an answer.
 */
async function description(service: Service): Promise<Buffer> {
  const { openApiDocument } = await import('./openapi/document.ts')
  return Buffer.from(JSON.stringify(openApiDocument(service)))
}

/** Requests go to the issuer, which is another origin than the page's where TESSERA_DOCS_URL says so. */
function interfacePolicy({ issuer, settings }: Service): string {
  // The origin of an issuer with a path is shared, so the policy names our own files: here, and where a proxy shows the page.
  const places = [...new Set([settings.docsUrl ?? issuer, issuer])].map((one) => `${one}/api/doc/`)
  const scripts = pathOfIssuer(issuer) === '' ? "'self'" : places.join(' ')
  const tries = settings.docsUrl === undefined ? "'self'" : `'self' ${issuer}`
  return `script-src ${scripts}; style-src 'self'; img-src 'self' data:; connect-src ${tries}`
}

/** Each is read when it is first asked for: Swagger UI has 1.9 MB, which a service without readers need not hold. */
const files: Record<string, (file: string) => string> = {
  'swagger-ui.css': swaggerUi,
  'swagger-ui-bundle.js': swaggerUi,
  'page.css': (file) => `${asset('pages/tokens.css')}\n${asset(`api-doc/${file}`)}`,
  'sign-in.js': (file) => asset(`api-doc/${file}`),
  'start.js': (file) => asset(`api-doc/${file}`),
  'signed-in.js': (file) => asset(`api-doc/${file}`),
}

function swaggerUi(file: string): string {
  const root = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  return readFileSync(join(root, file), 'utf8')
}

/** Its addresses are relative, so that it also works where a proxy serves it below a path (TESSERA_DOCS_URL). */
const interfacePage = ({ issuer, settings }: Service): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Interface – Tessera</title>
<link rel="icon" href="${faviconHref}">
<link rel="stylesheet" href="doc/swagger-ui.css">
<link rel="stylesheet" href="doc/page.css">
<script src="doc/sign-in.js"></script>
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
<div class="who">
<button type="button" id="sign-in" class="button" hidden>Sign in to try</button>
<div id="signed-in" hidden><p><bdi id="person" translate="no"></bdi><small id="context"></small></p><button type="button" id="sign-out" class="button button-secondary">Sign out</button></div>
</div>
</header>
<p id="problem" class="problem" role="alert"></p>
<main>
<div class="intro">
<h1>Tessera API <small>${version}</small></h1>
<p>Sign people in, get and check tokens, and administer: every address of this service, to read and to try.</p>
</div>
<noscript><p class="note">This page needs JavaScript to show the interface. The same description, for programs and to download, is <a href="doc.json">doc.json</a>.</p></noscript>
<div id="doc" data-client="${settings.apiDocSignIn ? apiDocClient.clientId : ''}" data-issuer="${issuer}" data-redirect="${issuer}${apiDocClient.redirectPath}" data-scopes="${namedScopes.join(' ')}"></div>
</main>
</body>
</html>
`

const signedInPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Signed in – Tessera</title>
<script src="signed-in.js"></script>
</head>
<body></body>
</html>
`
