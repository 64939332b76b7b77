import * as z from 'zod'
import { judge, type Judgement } from '../../forward/judge.ts'
import { isMethod, mayNameMethods, methodsOf, Misasked, readAddress } from '../../forward/original.ts'
import { visitorOf } from '../../forward/visitor.ts'
import { wrongField } from '../../protocol/problem.ts'
import { personHeaders } from '../../protocol/proxied.ts'
import { text, uuid } from '../fields.ts'
import { route } from '../route.ts'
import { asSeenBy, personOf } from './preview.ts'
import { clientAsUsed } from './verbs.ts'

/** What a visitor would get at an address of an application behind a proxy: nothing is asked, and nobody signs in. */

export const clientVisit = z.object({
  outcome: z
    .enum(['passes', 'sign_in', 'refused'])
    .describe('`sign_in`: a browser is led to the sign-in; what is no page gets 401.'),
  status: z.int(),
  routes: z
    .array(z.object({ route: z.string(), demands: z.string() }))
    .describe('The lines of the table that count, the strictest first.'),
  permission: z.string().nullable().describe('The one that is missing.'),
  headers: z.record(z.string(), z.string()).nullable().describe('What the application is told.'),
  reason: z.string().nullable(),
})

type ForeseenVisit = z.output<typeof clientVisit>

const asked = z.strictObject({
  method: text(20).describe('In capitals.'),
  url: text(4200).describe('The whole address, with the origin.'),
  user_uuid: uuid.optional().describe('Who visits it; left out: nobody is signed in.'),
  profile_uuid: uuid.optional().describe('One of their profiles.'),
})

export const visitRoute = route({
  method: 'POST',
  path: '/clients/:client_id/visit',
  permission: 'iam.clients.read',
  summary: 'Tell what a visitor would get at an address of an application behind a proxy',
  description:
    'By the table of a `proxied` client: whether the request passes and with which headers, leads to the sign-in, or is refused, and by which lines. As if the person had allowed the application everything; whether they can sign in is told by `/access/explain`. It needs `iam.access.read` as well, and of a person `iam.users.read`.',
  answers: 'ClientVisit',
  changes: false,
  makes: false,
  repeatable: false,
  refusals: ['not_found'],
  body: asked,
  async handle({ service, by, body, param }) {
    by.authority.requires('iam.access.read')
    const client = await clientAsUsed(service, by, param('client_id'))
    const { proxied } = client
    if (proxied === undefined) throw wrongField('client_id', 'It is not of the type proxied.')
    const isNobody = body.user_uuid === undefined && body.profile_uuid === undefined
    if (!isNobody) by.authority.requires('iam.users.read')
    const person = isNobody ? undefined : await personOf(service, by, client, body)
    const address = readAddress(body.url)
    if (!client.usable) return { status: 200, body: refused('The client, or its organisation, is disabled.') }
    if (address instanceof Misasked || !proxied.origins.includes(address.origin))
      return { status: 200, body: refused('The application is at no such origin.') }
    const visitor =
      person &&
      (await visitorOf(service, asSeenBy(by.authority, client), { ...person, granted: client.scopes }))
    const { method } = body
    const methods = methodsOf({ rawHeaders: [] }, { method, target: address.target })
    if (!isMethod(method) || (methods.length > 1 && !mayNameMethods(proxied, methods)))
      return { status: 200, body: refused('The method is none, or the query names another one besides.') }
    const judged = judge(proxied, { methods, target: address.target }, visitor)
    return { status: 200, body: told(judged) }
  },
})

const nothing = { routes: [], permission: null, headers: null, reason: null }

const refused = (reason: string): ForeseenVisit => ({ ...nothing, outcome: 'refused', status: 403, reason })

function told(judged: Judgement): ForeseenVisit {
  switch (judged.outcome) {
    case 'unmapped':
      return refused('No line of the table fits it as it is, or its path can be read in several ways.')
    case 'lacks': {
      const { key, demand } = judged.line
      const routes = [{ route: key, demands: demand }]
      return { ...refused('The role does not give the permission.'), routes, permission: demand }
    }
    case 'sign_in':
      return { ...nothing, outcome: 'sign_in', status: 302, routes: linesOf(judged) }
    case 'passes':
      return {
        ...nothing,
        outcome: 'passes',
        status: 200,
        routes: linesOf(judged),
        headers: headersOf(judged),
      }
  }
}

const linesOf = ({ lines }: Extract<Judgement, { lines: unknown }>) =>
  lines.map(({ key, demand }) => ({ route: key, demands: demand }))

function headersOf({ visitor }: Extract<Judgement, { outcome: 'passes' }>): Record<string, string> {
  const token = visitor?.token && `‹a token for ${visitor.token.audience.services.join(' ')}›`
  const all = personHeaders.map((name) => [name, visitor?.headers[name] ?? ''] as const)
  return { ...Object.fromEntries(all), ...(token !== undefined && { 'X-Access-Token': token }) }
}
