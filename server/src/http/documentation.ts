import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Service } from '../service.ts'
import { openApiDocument } from './openapi/document.ts'

/** GET /api/doc, an interactive page whose every asset is ours, and GET /api/doc.json, OpenAPI 3.1 (interface §4.8). */
export function documentation(app: FastifyInstance, service: Service): void {
  let document: string | undefined
  app.get('/api/doc.json', async (_request, reply) => {
    document ??= JSON.stringify(openApiDocument(service))
    return reply
      .header('cache-control', 'public, max-age=300')
      .type('application/json; charset=utf-8')
      .send(document)
  })
  app.get('/api/doc', async (_request, reply) => {
    reply.header('content-security-policy', policy).header('cache-control', 'no-cache')
    return reply.type('text/html; charset=utf-8').send(page)
  })
  for (const [path, { type, read }] of Object.entries(assets)) {
    let content: string | undefined
    app.get(path, async (_request, reply) => {
      content ??= read()
      return reply.header('cache-control', 'public, max-age=3600').type(type).send(content)
    })
  }
}

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Starts Swagger UI; a file of its own, because the policy allows no inline script. */
const starter = `window.ui = SwaggerUIBundle({
  url: '/api/doc.json',
  dom_id: '#doc',
  deepLinking: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
})
`

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tessera API</title>
<link rel="stylesheet" href="/api/doc/swagger-ui.css">
</head>
<body>
<noscript>This page needs JavaScript. The same description is at <a href="/api/doc.json">/api/doc.json</a>.</noscript>
<div id="doc"></div>
<script src="/api/doc/swagger-ui-bundle.js"></script>
<script src="/api/doc/start.js"></script>
</body>
</html>
`

/** Read when first asked for: they are 1.5 MB that a service without readers needn't hold. */
const assets: Record<string, { type: string; read: () => string }> = {
  '/api/doc/swagger-ui.css': { type: 'text/css; charset=utf-8', read: () => swaggerUi('swagger-ui.css') },
  '/api/doc/swagger-ui-bundle.js': {
    type: 'text/javascript; charset=utf-8',
    read: () => swaggerUi('swagger-ui-bundle.js'),
  },
  '/api/doc/start.js': { type: 'text/javascript; charset=utf-8', read: () => starter },
}

function swaggerUi(file: string): string {
  const root = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  return readFileSync(join(root, file), 'utf8')
}
