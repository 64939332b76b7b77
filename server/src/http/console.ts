import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { pathOfIssuer } from '../protocol/issuer-path.ts'
import type { Service } from '../service.ts'
import { nothingHere } from './errors.ts'

/** The folder stands beside the compiled sources, and beside the bundle: `console/build.mjs` writes it there. */
const folder = new URL('../console/', import.meta.url)

/**
 * GET /console: the files of the web console, an application that signs in like any other. Its addresses all show the
 * same page. Files are found when they are first asked for, and stay in memory.
 */
export function consoleFiles(app: FastifyInstance, { issuer, settings }: Service): void {
  if (!settings.console) return
  let page: string | undefined
  const show = async (_request: unknown, reply: FastifyReply) => {
    page ??= pageOf(issuer)
    reply.header('content-security-policy', policyOf(issuer)).header('cache-control', 'no-cache')
    return reply.type('text/html; charset=utf-8').send(page)
  }
  app.get('/console', show)
  app.get('/console/*', show)

  const kept = new Map<string, Buffer>()
  const read = (name: string): Buffer => {
    try {
      const content = kept.get(name) ?? readFileSync(new URL(`assets/${name}`, folder))
      kept.set(name, content)
      return content
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      // Built anew while this process runs: the page names the files that are there now.
      page = undefined
      throw nothingHere()
    }
  }
  app.get<{ Params: { '*': string } }>('/console/assets/*', async (request, reply) => {
    const [file = '', ending = ''] = /^[\w-]+\.(js|css)$/.exec(request.params['*']) ?? []
    const type = types[ending]
    if (type === undefined) throw nothingHere()
    const [encoding, compressed] = encodingFor(request.headers['accept-encoding'])
    const content = read(`${file}${compressed}`)
    if (encoding !== undefined) reply.header('content-encoding', encoding)
    // The address changes with the content, so this answer never does.
    reply.header('cache-control', 'public, max-age=31536000, immutable').header('vary', 'accept-encoding')
    return reply.type(`${type}; charset=utf-8`).send(content)
  })
}

/** The page stands at many addresses, so those in it are made whole; scripts read the path of the issuer in it. */
const pageOf = (issuer: string): string =>
  readFileSync(new URL('index.html', folder), 'utf8')
    .replaceAll('="./', '="/console/')
    .replace('<html', `<html data-path="${pathOfIssuer(issuer)}"`)

const types: Record<string, string> = { js: 'text/javascript', css: 'text/css' }

/** No script but its own files, which the path says, since others of this origin evaluate text; nothing is made HTML. */
const policyOf = (issuer: string): string =>
  [
    "default-src 'none'",
    `script-src ${issuer}/console/assets/`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')

/** RFC 9110 §12.5.3, but for weights other than none at all. */
function encodingFor(accepted: string | undefined): [string, string] | [undefined, ''] {
  const taken = new Set(
    (accepted ?? '').split(',').flatMap((one) => {
      const [name = '', weight] = one
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/)
      return /^q=0(\.0*)?$/.test(weight ?? '') ? [] : [name]
    }),
  )
  if (taken.has('br')) return ['br', '.br']
  return taken.has('gzip') ? ['gzip', '.gz'] : [undefined, '']
}
