import * as z from 'zod'
import { adminPath } from '../../administration/administration.ts'
import { bodyTypes } from '../../administration/bodies.ts'
import { isChange, isConditional, type Route } from '../../administration/route.ts'
import { adminRoutes, adminSchemas } from '../../administration/routes.ts'
import type { ErrorCode } from '../../protocol/errors.ts'
import { problemType } from '../problems.ts'
import { answer, mapped, type Piece, schema } from './parts.ts'
import { byStatus, meanings } from './refusals.ts'

/** The header parameters of routes, by what makes a route have them. */
type Headers = Readonly<Record<string, Piece>>

/** The paths of the administration API, out of the one table that its routes come from. */
export function administrationPaths(headers: Headers): Piece {
  const paths: Record<string, Record<string, Piece>> = {}
  for (const route of adminRoutes) {
    const path = `${adminPath}${route.path.replaceAll(/:(\w+)/g, '{$1}')}`
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, headers) }
  }
  return paths
}

/** What its answers are made of. */
export const administrationSchemas: Piece = mapped(adminSchemas, (type) => jsonSchema(type, 'output'))

function jsonSchema(type: z.ZodType, io: 'input' | 'output'): Piece {
  const { $schema: _, ...rest } = z.toJSONSchema(type, { io }) as Record<string, unknown>
  return rest
}

function operation(route: Route, headers: Headers): Piece {
  const { permission } = route
  const parameters = [
    ...inPath(route),
    ...inQuery(route),
    ...(isChange(route) ? [dryRun] : []),
    ...inHeader(route, headers),
  ]
  return {
    tags: ['Administration'],
    operationId: operationId(route),
    summary: route.summary,
    description: [route.description, permission && `Needs \`${permission}\`.`].filter(Boolean).join('\n\n'),
    security: [
      { bearer: permission === undefined ? [] : [permission] },
      { signIn: ['openid', 'service.api'] },
    ],
    ...(permission !== undefined && { 'x-required-permission': permission }),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body !== undefined && { requestBody: requestBody(route, route.body) }),
    responses: { ...success(route), ...refused(route) },
  }
}

const dryRun = {
  name: 'dry_run',
  in: 'query',
  required: false,
  description: '`true`: nothing is changed, and the answer tells what would be.',
  schema: { type: 'string', enum: ['true', 'false'] },
}

const json = (of: Piece): Piece => ({ 'application/json': { schema: of } })

const verbs = { GET: 'read', POST: 'create', PUT: 'set', PATCH: 'update', DELETE: 'delete' } as const

function operationId({ method, path, answers }: Route): string {
  const words = path.split('/').filter((part) => part !== '' && !part.startsWith(':'))
  const names = words.flatMap((word) => word.split('-')).map((word) => word[0]?.toUpperCase() + word.slice(1))
  const verb = method === 'GET' && answers?.endsWith('Page') === true ? 'list' : verbs[method]
  // A single thing can be deleted too.
  const hasOne = adminRoutes.some((one) => one.method === 'DELETE' && one.path.startsWith(`${path}/:`))
  if (method === 'DELETE' && hasOne) return `deleteAll${names.join('')}`
  return `${verb}${names.join('')}`
}

function inPath({ path }: Route): Piece[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
}

function inQuery({ query }: Route): Piece[] {
  if (query === undefined) return []
  const { properties = {}, required = [] } = jsonSchema(query, 'input') as {
    properties?: Record<string, Piece>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema: rest,
  }))
}

function inHeader({ method, endless, repeatable, refusals }: Route, headers: Headers): Piece[] {
  const ofMethod = method === 'POST' && repeatable === false ? undefined : headers[method]
  const ofManaged = refusals?.includes('managed_by_file') === true ? headers.managed : undefined
  return [endless === true ? headers.endless : ofMethod, ofManaged].filter((one) => one !== undefined)
}

function requestBody({ method }: Route, body: z.ZodType): Piece {
  const content = { schema: jsonSchema(body, 'input') }
  const types = method === 'PATCH' ? bodyTypes : bodyTypes.slice(0, 1)
  return { required: true, content: Object.fromEntries(types.map((type) => [type, content])) }
}

/** Whether it can be changed on condition of the version that an answer tells. */
const isVersioned = ({ method, path }: Route) =>
  adminRoutes.some(
    (one) => isConditional(one) && (method === 'POST' ? one.path.startsWith(`${path}/:`) : one.path === path),
  )

function success(route: Route): Piece {
  const { method, answers, files = [], trial = 'DryRun' } = route
  const always = ['Cache-Control']
  const ofTrial = {
    '200': answer({ description: 'Of a dry run.', headers: always, content: json(schema(trial)) }),
  }
  const asFiles = Object.fromEntries(files.map((type) => [type, { schema: { type: 'string' } }]))
  if (answers === undefined && files.length > 0)
    return { '200': answer({ description: 'The file.', headers: always, content: asFiles }) }
  if (answers === undefined) return { ...ofTrial, '204': answer({ description: 'Done.', headers: always }) }
  if (route.lines === true) {
    const content = { 'application/jsonl': { schema: { type: 'string' } } }
    const description = `Lines, each a ${answers} as JSON, while the work goes on. It stops with the connection.`
    return { '200': answer({ description, headers: always, content }) }
  }
  if (route.endless === true) {
    const content = { 'text/event-stream': { schema: { type: 'string' } } }
    const description = `Events, each with a ${answers} as its data.`
    return { '200': answer({ description, headers: always, content }) }
  }
  const headers = isVersioned(route) && !answers.endsWith('Page') ? [...always, 'ETag'] : always
  if (method === 'POST' && route.makes !== false)
    return {
      ...(isChange(route) && ofTrial),
      '201': answer({
        description: 'Created.',
        headers: [...headers, 'Location'],
        content: json(schema(answers)),
      }),
    }
  const content = {
    ...json(isChange(route) ? { anyOf: [schema(answers), schema(trial)] } : schema(answers)),
    ...asFiles,
  }
  return {
    '200': answer({ description: isConditional(route) ? 'As it is now.' : 'As it is.', headers, content }),
  }
}

/** What every route may answer, by what it is. */
function refusalsOf({ method, path, body, repeatable, refusals = [] }: Route): Set<ErrorCode> {
  const codes: ErrorCode[] = ['invalid_request', 'server_error', 'temporarily_unavailable', ...refusals]
  if (path.includes(':')) codes.push('not_found')
  if (body !== undefined) codes.push('unsupported_media_type', 'request_too_large')
  if (method === 'POST' && repeatable !== false) codes.push('idempotency_key_reused')
  if (isConditional({ method })) codes.push('precondition_required')
  if (isConditional({ method }) || method === 'DELETE') codes.push('precondition_failed')
  return new Set(codes)
}

function refused(route: Route): Piece {
  const found = byStatus(refusalsOf(route))
  const lacking = ['The token lacks the permission.', meanings(found.get(403) ?? [])].filter(Boolean)
  return {
    ...Object.fromEntries([...found].map(([status, codes]) => [status, problem(codes)])),
    '401': refusedByGuard(
      [
        'No access token, or one that is not valid here or does not count any more.',
        ...(isChange(route) ? [meanings(['insufficient_user_authentication'])] : []),
      ].join('\n\n'),
    ),
    '403': refusedByGuard(lacking.join('\n\n')),
    '405': answer({
      description: 'The address does not take this method.',
      headers: ['Cache-Control', 'Allow'],
      content: { 'application/json': { schema: schema('Error') } },
    }),
  }
}

function problem(codes: readonly ErrorCode[]): Piece {
  return answer({
    description: meanings(codes),
    headers: ['Cache-Control', ...(codes.includes('temporarily_unavailable') ? ['Retry-After'] : [])],
    content: { [problemType]: { schema: schema('Problem') } },
  })
}

function refusedByGuard(description: string): Piece {
  return answer({
    description,
    headers: ['Cache-Control', 'WWW-Authenticate'],
    content: {
      'application/json': { schema: schema('GuardRefusal') },
      [problemType]: { schema: schema('Problem') },
    },
  })
}
