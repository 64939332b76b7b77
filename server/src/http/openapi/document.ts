import { parse } from 'yaml'
import { asset } from '../../pages/asset.ts'
import type { Service } from '../../service.ts'
import { administrationPaths, administrationSchemas } from './administration.ts'
import { factsOf } from './facts.ts'
import { mapped, type Piece } from './parts.ts'
import { completed } from './protocol.ts'

interface OpenApiDocument {
  paths: Record<string, Piece>
  components: { schemas: Piece }
  'x-administration': Record<string, Piece>
  [name: string]: unknown
}

/**
 * The interface description (OpenAPI 3.1): the protocol as `assets/openapi.yaml` has it, and the administration API
 * out of its routes. A test holds the paths to the routes.
 */
export function openApiDocument(service: Pick<Service, 'issuer' | 'settings'>): object {
  const { paths, components, 'x-administration': headers, ...written } = read(factsOf(service))
  return {
    ...Object.fromEntries(Object.entries(written).filter(([name]) => !name.startsWith('x-'))),
    paths: {
      ...mapped(paths, (path) => mapped(path, (part) => completed(part, service.issuer))),
      ...administrationPaths(headers),
    },
    components: { ...components, schemas: { ...components.schemas, ...administrationSchemas } },
  }
}

/** The file with its facts filled in, and what stands in a list of a list in that list. */
function read(facts: Record<string, unknown>): OpenApiDocument {
  const fact = (name: string): unknown => {
    if (!(name in facts)) throw new Error(`assets/openapi.yaml names \${${name}}, which is no fact.`)
    return facts[name]
  }
  const filled = (_key: unknown, value: unknown): unknown => {
    if (Array.isArray(value)) return value.flat()
    if (typeof value !== 'string') return value
    const [, whole] = /^\$\{(\w+)\}$/.exec(value) ?? []
    return whole === undefined
      ? value.replaceAll(/\$\{(\w+)\}/g, (_, name) => String(fact(name)))
      : fact(whole)
  }
  return parse(asset('openapi.yaml'), filled, { merge: true, maxAliasCount: -1 }) as OpenApiDocument
}
