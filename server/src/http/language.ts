import type { FastifyInstance } from 'fastify'
import { languagePath } from '../pages/language-switch.tsx'
import { languageCookie } from '../pages/locale.ts'
import { locales } from '../pages/messages/index.ts'
import { invalidRequest } from '../protocol/refusals.ts'
import { pathOfIssuer } from '../protocol/issuer-path.ts'
import type { Service } from '../service.ts'
import { formIn } from '../sign-in/page-visit.ts'

/**
 * POST /language: what is chosen by the switch counts in this browser until it is closed. It changes words alone, so
 * its form has no CSRF token; browsers tell us of a form on another site.
 */
export function language(app: FastifyInstance, { issuer }: Service): void {
  app.post(languagePath, async (request, reply) => {
    const { headers } = request
    const form = formIn(request)
    const locale = locales.find((one) => one === form.optional('locale'))
    const to = pathOf(form.optional('to') ?? '/', issuer)
    if (locale === undefined || to === undefined)
      throw invalidRequest('It takes a locale that there is, and a path of this service to return to.')
    const site = headers['sec-fetch-site']
    if (site === undefined || site === 'same-origin')
      reply.setCookie(languageCookie, locale, {
        path: pathOfIssuer(issuer) || '/',
        httpOnly: true,
        sameSite: 'lax',
        secure: issuer.startsWith('https:'),
      })
    return reply.header('cache-control', 'no-store').redirect(to, 303)
  })
}

/** The path and query of an address of ours; undefined: it leads elsewhere. */
function pathOf(to: string, issuer: string): string | undefined {
  if (!to.startsWith('/') || !URL.canParse(to, issuer)) return undefined
  const { origin, pathname, search } = new URL(to, issuer)
  // A path that begins with two slashes would name another host to the browser.
  return origin === new URL(issuer).origin && !pathname.startsWith('//') ? `${pathname}${search}` : undefined
}
