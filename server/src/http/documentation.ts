import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Service } from '../service.ts'
import { documentationPage, pageStyles, starter } from './documentation-page.ts'

/** GET /api/doc, an interactive page whose every asset is ours, and GET /api/doc.json, OpenAPI 3.1 (interface §4.8). */
export function documentation(app: FastifyInstance, service: Service): void {
  let document: string | undefined
  app.get('/api/doc.json', async (_request, reply) => {
    document ??= await description(service)
    return reply
      .header('cache-control', 'public, max-age=300')
      .type('application/json; charset=utf-8')
      .send(document)
  })
  const page = documentationPage(service.issuer)
  const policy = pagePolicy(service)
  app.get('/api/doc', async (_request, reply) => {
    reply.header('content-security-policy', policy).header('cache-control', 'no-store')
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

/** Loaded when it is first asked for: describing every schema takes longer than the rest of a start. */
async function description(service: Service): Promise<string> {
  const { openApiDocument } = await import('./openapi/document.ts')
  return JSON.stringify(openApiDocument(service))
}

/** Tries go to the issuer, which is another origin than the page's where TESSERA_DOCS_URL says so. */
function pagePolicy({ issuer, settings }: Service): string {
  const tries = settings.docsUrl === undefined ? "'self'" : `'self' ${issuer}`
  return `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src ${tries}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
}

const css = 'text/css; charset=utf-8'
const javascript = 'text/javascript; charset=utf-8'

/** Swagger UI is read when first asked for: 1.9 MB that a service without readers needn't hold. */
const assets: Record<string, { type: string; read: () => string }> = {
  '/api/doc/swagger-ui.css': { type: css, read: () => swaggerUi('swagger-ui.css') },
  '/api/doc/swagger-ui-bundle.js': { type: javascript, read: () => swaggerUi('swagger-ui-bundle.js') },
  '/api/doc/page.css': { type: css, read: () => pageStyles },
  '/api/doc/start.js': { type: javascript, read: () => starter },
}

function swaggerUi(file: string): string {
  const root = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  return readFileSync(join(root, file), 'utf8')
}
