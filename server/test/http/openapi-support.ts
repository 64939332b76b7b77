import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { default as addFormats } from 'ajv-formats'
import type { FastifyInstance } from 'fastify'
import type { Dialect } from '../harness/databases.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'

/** As much of the interface description as these tests read. */
export interface Description {
  openapi: string
  info: { version: string; description: string }
  servers: { url: string }[]
  externalDocs: { url: string }
  paths: Record<string, PathItem>
  components: { schemas: Record<string, object>; headers: Record<string, object> }
}

export type PathItem = { servers?: unknown; parameters?: unknown } & { [method in Method]?: Operation }
export const methods = ['get', 'post', 'put', 'patch', 'delete'] as const
export type Method = (typeof methods)[number]

export interface Operation {
  operationId: string
  tags: string[]
  description?: string
  parameters?: { name: string; example?: unknown; schema: object }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { headers: Record<string, unknown>; content?: Record<string, Media> }>
}

export interface Media {
  schema: object
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

/** `METHOD /path` of every route that the running service has; HEAD and OPTIONS come by themselves. */
export async function startWithRoutes(
  dialect: Dialect,
  settings: Record<string, string> = {},
): Promise<{ tessera: Tessera; routes: string[] }> {
  const routes: string[] = []
  const listen = (message: unknown): void => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', ({ method, url }) => {
      for (const one of [method].flat())
        if (!['HEAD', 'OPTIONS'].includes(one)) routes.push(`${one} ${described(url)}`)
    })
  }
  subscribe('fastify.initialization', listen)
  try {
    return { tessera: await startTessera(dialect, { settings }), routes }
  } finally {
    unsubscribe('fastify.initialization', listen)
  }
}

/** `/users/:uuid` as the description writes it. */
const described = (url: string) => url.replaceAll(/:(\w+)/g, '{$1}')

export async function descriptionOf(url: string): Promise<Description> {
  return (await (await fetch(`${url}/api/doc.json`)).json()) as Description
}

/** The operations of this service: `METHOD /path`. What has servers of its own is another service's. */
export function operationsOf({ paths }: Description): Map<string, Operation> {
  const found = new Map<string, Operation>()
  for (const [path, item] of Object.entries(paths)) {
    if (item.servers !== undefined) continue
    for (const method of methods) {
      const operation = item[method]
      if (operation !== undefined) found.set(`${method.toUpperCase()} ${path}`, operation)
    }
  }
  return found
}

/** What is wrong with a value by a schema of the description; empty when it is right. */
export function schemaErrors(description: Description, schema: object, value: unknown): string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  const validate = ajv.compile({ ...schema, components: description.components })
  validate(value)
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

/** Every example of a media type. */
export function examplesOf({ example, examples }: Media): unknown[] {
  return [
    ...(example === undefined ? [] : [example]),
    ...Object.values(examples ?? {}).map(({ value }) => value),
  ]
}
