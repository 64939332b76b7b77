import * as z from 'zod'
import { adminPath } from '../../admin/administration.ts'
import { bodyTypes } from '../../admin/bodies.ts'
import { managedHeader } from '../../admin/conditions.ts'
import type { Route } from '../../admin/route.ts'
import { adminRoutes, adminSchemas } from '../../admin/routes.ts'
import { type ErrorCode, errorCatalogue } from '../../protocol/errors.ts'
import { problemType } from '../problems.ts'
import { answer, type HeaderName, type Piece, schema } from './parts.ts'

/** The paths of the administration API, out of the one table that its routes come from. */
export function administrationPaths(): Piece {
  const paths: Record<string, Record<string, Piece>> = {}
  for (const route of adminRoutes) {
    const path = `${adminPath}${route.path.replaceAll(/:(\w+)/g, '{$1}')}`
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) }
  }
  return paths
}

/** What its answers are made of. */
export const administrationSchemas: Record<string, Piece> = {
  ...Object.fromEntries(
    Object.entries(adminSchemas).map(([name, type]) => [name, jsonSchema(type, 'output')]),
  ),
  Problem: {
    type: 'object',
    description: 'RFC 9457. `error` is the code that programs decide by, as in every other answer.',
    required: ['type', 'title', 'status', 'detail', 'error'],
    properties: {
      type: { type: 'string', format: 'uri', examples: ['urn:tessera:error:conflict'] },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string', description: 'What is wrong with this very request. The words may change.' },
      error: { type: 'string', enum: Object.keys(errorCatalogue) },
      errors: {
        type: 'array',
        description: 'The fields or parameters that are wrong.',
        items: {
          type: 'object',
          required: ['field', 'detail'],
          properties: { field: { type: 'string' }, detail: { type: 'string' } },
        },
      },
      permissions: {
        type: 'array',
        items: { type: 'string' },
        description: 'Those that are missing.',
      },
    },
  },
  GuardRefusal: {
    type: 'object',
    description: 'As every protected service that uses the guard answers.',
    required: ['error', 'error_description'],
    properties: {
      error: { type: 'string' },
      error_description: { type: 'string' },
      permission: { type: 'string', description: 'The one that is missing; with 403.' },
    },
  },
}

function jsonSchema(type: z.ZodType, io: 'input' | 'output'): Piece {
  const { $schema: _, ...rest } = z.toJSONSchema(type, { io }) as Record<string, unknown>
  return rest
}

function operation(route: Route): Piece {
  const parameters = [...inPath(route), ...inQuery(route), ...inHeader(route)]
  return {
    tags: ['Administration'],
    operationId: operationId(route),
    summary: route.summary,
    description: [route.description, `Needs \`${route.permission}\`.`].filter(Boolean).join('\n\n'),
    security: [{ bearer: [route.permission] }],
    'x-required-permission': route.permission,
    ...(parameters.length > 0 && { parameters }),
    ...(route.body !== undefined && { requestBody: requestBody(route, route.body) }),
    responses: { ...success(route), ...refused(route) },
  }
}

const verbs = { GET: 'read', POST: 'create', PATCH: 'update', DELETE: 'delete' } as const

function operationId({ method, path, answers }: Route): string {
  const words = path.split('/').filter((part) => part !== '' && !part.startsWith(':'))
  const names = words.flatMap((word) => word.split('-')).map((word) => word[0]?.toUpperCase() + word.slice(1))
  const verb = method === 'GET' && answers?.endsWith('Page') === true ? 'list' : verbs[method]
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

function inHeader(route: Route): Piece[] {
  return [...ofMethod(route), ...ofManaged(route)]
}

/** Where a declared file may manage what changes. */
function ofManaged({ refusals }: Route): Piece[] {
  if (refusals?.includes('managed_by_file') !== true) return []
  const description =
    'Changes it although a declared file manages it; the next application of the file takes that back.'
  return [
    {
      name: managedHeader,
      in: 'header',
      required: false,
      description,
      schema: { type: 'string', enum: ['override'] },
    },
  ]
}

function ofMethod({ method, endless, repeatable }: Route): Piece[] {
  if (endless === true) {
    const description = 'The id of the last event that was seen: it goes on after that one.'
    return [{ name: 'Last-Event-ID', in: 'header', required: false, description, schema: { type: 'string' } }]
  }
  if (method === 'POST' && repeatable === false) return []
  if (method === 'POST') {
    const description =
      'Makes the request safe to repeat for a day: sent again with the same key and body, it is answered as the first time, without the secret that was shown then, and nothing is created twice.'
    return [
      { name: 'Idempotency-Key', in: 'header', required: false, description, schema: { type: 'string' } },
    ]
  }
  if (method === 'GET') return []
  const description = 'The `ETag` that was read, or `*`.'
  return [
    { name: 'If-Match', in: 'header', required: method === 'PATCH', description, schema: { type: 'string' } },
  ]
}

function requestBody({ method }: Route, body: z.ZodType): Piece {
  const content = { schema: jsonSchema(body, 'input') }
  const types = method === 'PATCH' ? bodyTypes : bodyTypes.slice(0, 1)
  return { required: true, content: Object.fromEntries(types.map((type) => [type, content])) }
}

/** Whether it can be changed on condition of the version that an answer tells. */
const isVersioned = ({ method, path }: Route) =>
  adminRoutes.some(
    (one) =>
      one.method === 'PATCH' && (method === 'POST' ? one.path.startsWith(`${path}/:`) : one.path === path),
  )

function success(route: Route): Piece {
  const { method, answers } = route
  if (answers === undefined) return { '204': answer('Done.', { headers: ['Cache-Control'] }) }
  const isPage = answers.endsWith('Page')
  const headers: HeaderName[] = [
    'Cache-Control',
    ...(isPage || !isVersioned(route) ? [] : (['ETag'] as const)),
  ]
  if (route.endless === true) {
    const content = { 'text/event-stream': { schema: { type: 'string' } } }
    return {
      '200': answer(`Events, each with a ${answers} as its data.`, { headers: ['Cache-Control'], content }),
    }
  }
  const content = { 'application/json': { schema: schema(answers) } }
  if (method === 'POST') {
    return { '201': answer('Created.', { headers: [...headers, 'Location'], content }) }
  }
  return { '200': answer(method === 'PATCH' ? 'As it is now.' : 'As it is.', { headers, content }) }
}

/** What every route may answer, by what it is. */
function refusalsOf({ method, path, body, repeatable, refusals = [] }: Route): Set<ErrorCode> {
  const codes: ErrorCode[] = ['invalid_request', 'server_error', 'temporarily_unavailable', ...refusals]
  if (path.includes(':')) codes.push('not_found')
  if (body !== undefined) codes.push('unsupported_media_type', 'request_too_large')
  if (method === 'POST' && repeatable !== false) codes.push('idempotency_key_reused')
  if (method === 'PATCH') codes.push('precondition_required')
  if (method === 'PATCH' || method === 'DELETE') codes.push('precondition_failed')
  return new Set(codes)
}

function refused(route: Route): Piece {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of refusalsOf(route)) {
    const { status } = errorCatalogue[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  const problems = [...byStatus].map(([status, codes]) => [String(status), problem(codes)] as const)
  const guarded = {
    '401': refusedByGuard('No access token, or one that is not valid here or does not count any more.'),
    '403': refusedByGuard(
      ['The token lacks the permission.', ...meanings(byStatus.get(403) ?? [])].join('\n\n'),
    ),
    '405': answer('The address does not take this method.', {
      headers: ['Cache-Control', 'Allow'],
      content: { 'application/json': { schema: schema('Error') } },
    }),
  }
  return { ...Object.fromEntries(problems), ...guarded }
}

const meanings = (codes: readonly ErrorCode[]) =>
  codes.map((code) => `\`${code}\`: ${errorCatalogue[code].meaning}`)

function problem(codes: readonly ErrorCode[]): Piece {
  const headers: HeaderName[] = ['Cache-Control']
  if (codes.includes('temporarily_unavailable')) headers.push('Retry-After')
  return answer(meanings(codes).join('\n\n'), {
    headers,
    content: { [problemType]: { schema: schema('Problem') } },
  })
}

function refusedByGuard(description: string): Piece {
  return answer(description, {
    headers: ['Cache-Control', 'WWW-Authenticate'],
    content: {
      'application/json': { schema: schema('GuardRefusal') },
      [problemType]: { schema: schema('Problem') },
    },
  })
}
