/**
 * `http/` assembles the application: headers, cookies, bodies, limits, the one error handler, documentation.
 * The room owns no rule of the protocol.
 */
import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import cookie from '@fastify/cookie'
import Fastify, {
  LogController,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyHttpOptions,
} from 'fastify'
import { accountReturns, accountRoutes } from '../account/routes.ts'
import { administration } from '../administration/administration.ts'
import { connectPages } from '../connect/routes.ts'
import { invitationPages } from '../invitation/routes.ts'
import { forwardAuth, forwardAuthPath } from '../forward/routes.ts'
import { setUpByLink, setupPath } from '../setup/routes.ts'
import { authorizeEndpoint } from '../oauth2/authorize.ts'
import { clientAuthentication } from '../oauth2/client-authentication.ts'
import { deviceAuthorizationEndpoint } from '../oauth2/device-authorization.ts'
import { discoveryEndpoint } from '../oauth2/discovery.ts'
import { introspectEndpoint } from '../oauth2/introspect.ts'
import { jwksEndpoint } from '../oauth2/jwks.ts'
import { logoutEndpoint } from '../oauth2/logout.ts'
import { pushedRequestEndpoint } from '../oauth2/par.ts'
import { revokeEndpoint } from '../oauth2/revoke.ts'
import { tokenEndpoints } from '../oauth2/token.ts'
import { userinfoEndpoint } from '../oauth2/userinfo.ts'
import { accentSheet } from '../pages/accent.ts'
import { controlsScript, controlsScriptPath } from '../pages/controls.tsx'
import { formPostScript, formPostScriptPath } from '../pages/form-post-page.tsx'
import { passkeysScript, passkeysScriptPath } from '../pages/passkeys.tsx'
import { stylesheet, stylesheetPath } from '../pages/styles.ts'
import { Parameters } from '../protocol/parameters.ts'
import { longestClientId } from '../protocol/values.ts'
import { scimRoutes } from '../scim/routes.ts'
import type { Service } from '../service.ts'
import { firstAdministrator } from '../setup/first-administrator.ts'
import { devicePages } from '../sign-in/device.ts'
import { passkeyOptions } from '../sign-in/passkey-options.ts'
import { forgottenPassword } from '../sign-in/forgotten.ts'
import { passwordReset } from '../sign-in/reset.ts'
import { relatedOrigins } from '../sign-in/related-origins.ts'
import { signInSteps } from '../sign-in/steps.ts'
import { backInSignIn, upstreamRoutes } from '../sign-in/upstream-routes.ts'
import { backInTrial, upstreamTrials } from '../sign-in/upstream-trial.ts'
import { passAhead } from './ahead.ts'
import { belowPath, rewritten, shownElsewhere } from './below.ts'
import { finishBeforeClosing } from './closing.ts'
import { consoleFiles } from './console.ts'
import { cors } from './cors.ts'
import { developmentMail } from './development-mail.ts'
import { documentation } from './documentation.ts'
import { front } from './front.ts'
import { jsonErrors, nothingHere, pageErrors, unmatchedRoutes } from './errors.ts'
import { forwardedAddresses } from './forwarded.ts'
import { health, isProbe } from './health.ts'
import { language } from './language.ts'
import { logger } from './log.ts'
import type { Metrics } from './metrics.ts'
import { securityHeaders } from './headers.ts'
import { pictures } from './pictures.ts'
import { problemErrors } from './problems.ts'
import { scimErrors } from './scim-errors.ts'
import { strictRequests } from './strict.ts'
import { traces } from './tracing.ts'
import { cutOff, type Traffic } from './traffic.ts'
import { malformedRequests, unusualRequests } from './malformed.ts'

/** No form of the protocol comes near this; larger ones are answered 413. */
const bodyLimit = 64 * 1024

/** The application, ready to listen. `linger`: see `closing.ts`. */
export async function createApp(
  service: Service,
  { metrics, traffic, linger }: { metrics: Metrics | undefined; traffic: Traffic; linger: boolean },
): Promise<FastifyInstance> {
  const app = Fastify(options(service))
  forwardedAddresses(app, service.settings)
  if (metrics) traffic.whenEnded(metrics.ended)
  traces(app, traffic)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: FastifyRequest, body: string) => Parameters.ofBody(body),
  )
  const stopping = finishBeforeClosing(app, traffic, linger)
  securityHeaders(app, service)
  belowPath(app, service)
  strictRequests(app)
  unusualRequests(app, service)
  traffic.whenEnded(logRequest)
  unmatchedRoutes(app, service)
  jsonErrors(app, service)
  cors(app, service)

  await app.register(async (api) => {
    const authenticate = clientAuthentication(service)
    discoveryEndpoint(api, service)
    jwksEndpoint(api, service)
    relatedOrigins(api, service)
    tokenEndpoints(api, service, authenticate)
    deviceAuthorizationEndpoint(api, service, authenticate)
    pushedRequestEndpoint(api, service, authenticate)
    userinfoEndpoint(api, service)
    revokeEndpoint(api, service, authenticate)
    introspectEndpoint(api, service, authenticate)
    documentation(api, service)
    consoleFiles(api, service)
    health(api, service, stopping)
  })
  await app.register(async (admin) => {
    problemErrors(admin, service)
    await administration(admin, service)
  })
  await app.register(async (scim) => {
    scimErrors(scim, service)
    scimRoutes(scim, service)
  })
  await app.register(async (applications) => {
    pageErrors(applications, service)
    shownElsewhere(applications, service)
    const { issuer } = service
    passAhead(app, forwardAuth(applications, service), { issuer, traffic, stopping })
  })
  await app.register(async (pages) => {
    pageErrors(pages, service)
    await pages.register(cookie)
    authorizeEndpoint(pages, service)
    signInSteps(pages, service)
    upstreamRoutes(pages, service, { sign_in: backInSignIn, trial: backInTrial, ...accountReturns })
    upstreamTrials(pages, service)
    passkeyOptions(pages, service)
    passwordReset(pages, service)
    forgottenPassword(pages, service)
    devicePages(pages, service)
    firstAdministrator(pages, service, { path: setupPath, setUp: setUpByLink })
    invitationPages(pages, service)
    connectPages(pages, service)
    logoutEndpoint(pages, service)
    accountRoutes(pages, service)
    developmentMail(pages, service)
    front(pages, service)
    language(pages, service)
    pictures(pages, service)
    const assets = [
      { path: stylesheetPath, type: 'text/css', content: stylesheet },
      { path: formPostScriptPath, type: 'text/javascript', content: formPostScript },
      { path: controlsScriptPath, type: 'text/javascript', content: controlsScript },
      { path: passkeysScriptPath, type: 'text/javascript', content: passkeysScript },
    ]
    pages.get<{ Params: { file: string } }>('/assets/accent/:file', async ({ params }, reply) => {
      const sheet = accentSheet(params.file)
      if (sheet === undefined) throw nothingHere()
      reply.header('cache-control', 'public, max-age=31536000, immutable').type('text/css; charset=utf-8')
      return sheet
    })
    for (const { path, type, content } of assets) {
      pages.get(path, async (_request, reply) => {
        // The address changes with the content, so this answer never does.
        reply.header('cache-control', 'public, max-age=31536000, immutable').type(`${type}; charset=utf-8`)
        return content
      })
    }
  })
  return app
}

function options(service: Service): FastifyHttpOptions<Server> {
  const { settings } = service
  const rewriteUrl = rewritten(service)
  return {
    ...(rewriteUrl !== undefined && { rewriteUrl }),
    ...malformedRequests(service),
    bodyLimit,
    forceCloseConnections: true,
    // See closing.ts.
    return503OnClosing: false,
    // A client that sends slowly holds a connection for this long and no longer.
    requestTimeout: 20_000,
    connectionTimeout: 30_000,
    keepAliveTimeout: 65_000,
    http: {
      headersTimeout: 10_000,
      // See strict.ts.
      maxHeaderSize: 128 * 1024,
      connectionsCheckingInterval: 2000,
      requireHostHeader: false,
    },
    genReqId: () => randomUUID(),
    // A client can't choose its own request id.
    requestIdHeader: false,
    // Only the client's address is taken from forwarded headers, and only from these.
    trustProxy: settings.trustedProxies.length === 0 ? false : [...settings.trustedProxies],
    logController: new LogController({ disableRequestLogging: true }),
    routerOptions: {
      maxParamLength: longestClientId,
      // Endpoints read the raw query themselves, so that repeated parameters are seen.
      querystringParser: () => ({}),
    },
    logger: logger(settings),
  }
}

const isAboutAnother = ({ routeOptions: { url = '' } }: FastifyRequest): boolean =>
  url.startsWith(forwardAuthPath)

function logRequest({ request, elapsedTime }: FastifyReply, status: number): void {
  const ms = Math.round(elapsedTime * 10) / 10
  const { method, ip: address } = request
  const told = { method, path: request.originalUrl.split('?')[0], status, ms, address }
  // Balancers and supervisors ask every few seconds, and proxies about each request.
  const level = isProbe(request) || isAboutAnother(request) ? 'debug' : 'info'
  request.log[level](told, status === cutOff ? 'cut off' : 'answered')
}
