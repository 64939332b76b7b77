/**
 * The application put together: a relying party of Tessera that shows every step it takes.
 */
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import cookie from '@fastify/cookie'
import fastify, { type FastifyInstance } from 'fastify'
import { toOwnHost } from './browser.ts'
import { callApiRoutes } from './call-api.ts'
import type { Context } from './context.ts'
import { homeRoutes } from './home.ts'
import { issuerAt } from './issuer.ts'
import { problemPage } from './pages/problem.tsx'
import { explain, Problem } from './problems.ts'
import { refreshRoutes } from './refresh.ts'
import { openSessions } from './sessions.ts'
import { type Options, siteOf } from './settings.ts'
import { signInRoutes } from './sign-in.ts'
import { signOutRoutes } from './sign-out.ts'

export type { Options } from './settings.ts'

export async function start(options: Options): Promise<{ url: string; close: () => Promise<void> }> {
  const now = options.now ?? Date.now
  const issuer = issuerAt(options.issuer, options.clientId)
  const sessions = openSessions(options.database, now)
  const site = siteOf(options, options.port)
  const context: Context = { ...options, names: options.names ?? {}, issuer, sessions, now, site }

  const app = fastify({ bodyLimit: 16_384, forceCloseConnections: true })
  app.addHook('onClose', async () => sessions.close())
  finishBeforeClosing(app)
  await app.register(cookie)
  guardEveryAnswer(app, context)
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_: unknown, body: string) => new URLSearchParams(body),
  )
  await assetRoutes(app)
  for (const routes of [homeRoutes, signInRoutes, refreshRoutes, callApiRoutes, signOutRoutes])
    routes(app, context)
  problemHandlers(app)

  await app.listen({ port: options.port, host: options.host }).catch(async (error: unknown) => {
    await app.close()
    throw error
  })
  context.site = siteOf(options, (app.server.address() as AddressInfo).port)
  return { url: context.site.baseUrl, close: () => app.close() }
}

const GRACE = 5_000

/**
 * What was asked is answered before connections are cut, and cut they must be: browsers open some in advance and
 * ask nothing on them, and Fastify's gentler settings would wait for those too.
 */
function finishBeforeClosing(app: FastifyInstance): void {
  let running = 0
  app.addHook('onRequest', async (_, reply) => {
    running++
    reply.raw.once('close', () => running--)
  })
  app.addHook('preClose', async () => {
    for (let waited = 0; running > 0 && waited < GRACE; waited += 20) await setTimeout(20)
  })
}

/** No page may be stored, framed, or tell others where its reader came from; no script runs on any. */
function guardEveryAnswer(app: FastifyInstance, context: Context): void {
  const issuerOrigin = new URL(context.issuer.url).origin
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    // Browsers hold a form's redirects to this list too, and signing out leads through the issuer.
    `form-action 'self' ${issuerOrigin}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'content-security-policy': policy,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
    })
    const elsewhere = toOwnHost(context, request)
    if (elsewhere !== undefined) return reply.redirect(elsewhere, 303)
  })
}

async function assetRoutes(app: FastifyInstance): Promise<void> {
  const assets = [
    ['style.css', 'text/css; charset=utf-8'],
    ['icon.svg', 'image/svg+xml'],
  ] as const
  for (const [name, type] of assets) {
    const content = await readFile(new URL(`../assets/${name}`, import.meta.url))
    app.get(`/${name}`, async (_, reply) =>
      reply.type(type).header('cache-control', 'max-age=300').send(content),
    )
  }
}

function problemHandlers(app: FastifyInstance): void {
  app.setErrorHandler(async (error, _request, reply) => {
    const problem = isBadRequest(error) ? badRequest(error) : explain(error)
    if (problem.parts.status >= 500) log(problem, error)
    if (problem.parts.status === 503) reply.header('retry-after', '5')
    return reply.code(problem.parts.status).type('text/html; charset=utf-8').send(problemPage(problem))
  })
  app.setNotFoundHandler(() => {
    throw new Problem({ status: 404, title: 'There is no such page', advice: 'Go back to the start page.' })
  })
}

function isBadRequest(error: unknown): error is Error & { statusCode: number } {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
  return typeof status === 'number' && status >= 400 && status < 500
}

function badRequest(error: Error & { statusCode: number }): Problem {
  const advice = 'Go back to the start page.'
  return new Problem({ status: error.statusCode, title: 'This request can’t be read', advice }, error)
}

/** Never the error object itself: what openid-client hangs on it as the cause may hold tokens. */
function log({ parts }: Problem, error: unknown): void {
  const stack = parts.status === 500 && error instanceof Error ? error.stack : undefined
  console.error([parts.title, parts.code, parts.detail, stack].filter(Boolean).join(': '))
}
