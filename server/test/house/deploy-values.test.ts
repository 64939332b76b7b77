/**
 * What the chart takes for values: its schema, and of its templates the patterns of the issuer and the settings that
 * have places of their own. `npm run deploy-check` has Helm say every sentence of the templates.
 */
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { refused, valueSets } from '../../../scripts/deploy-chart.ts'
import { isIssuer } from '../../dist/protocol/issuer-path.js'
import { settingsSchema } from '../../dist/settings-schema.js'
import { yamlOf } from './deploy-support.ts'
import { read } from './support.ts'

type Values = Record<string, unknown>
interface Schema {
  properties?: Record<string, Schema>
  additionalProperties?: unknown
  const?: unknown
  $ref?: string
  items?: Schema
  type?: unknown
}
const valuesOf = (file: string) => yamlOf(read(file)) as Values
const schema = JSON.parse(read('deploy/helm/tessera/values.schema.json')) as Schema & {
  definitions: Record<string, Schema>
}
const isValid = new Ajv({ strictTypes: false }).compile(schema)
const defaults = valuesOf('deploy/helm/tessera/values.yaml')
const plain = valuesOf('deploy/helm/golden/plain.values.yaml')

/** Values laid over others as Helm does it: maps key by key, and null takes a key away. */
function laidOver(below: Values, above: Values): Values {
  const isMap = (one: unknown): one is Values =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
  const merged = Object.entries(above).map(([name, value]) => {
    const under = below[name]
    return [name, isMap(value) && isMap(under) ? laidOver(under, value) : value] as const
  })
  const all = { ...below, ...Object.fromEntries(merged) }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null))
}
const accepts = (values: Values) => isValid(laidOver(laidOver(defaults, plain), values))

const templates = ['_issuer.tpl', '_elsewhere.tpl']
  .map((file) => read(`deploy/helm/tessera/templates/${file}`))
  .join('')

/** What is defined in a template under a name, with what it includes. */
function defined(name: string): string {
  const [, body] =
    new RegExp(`define "tessera\\.${name}" -}}\\n?(.*?)\\n?{{- end -}}`, 's').exec(templates) ?? []
  if (body === undefined) throw new Error(`No template defines ${name}.`)
  return body.replaceAll(/\{\{ include "tessera\.(\w+)" \. \}\}/g, (_, below: string) => defined(below))
}
const form = (name: string) => new RegExp(defined(name))
const issuerForm = form('issuerForm')
const ownPortForm = form('ownPortForm')
const ingressForm = form('ingressForm')

/** Whether the chart serves an issuer, as _issuer.tpl decides it. */
const serves = (issuer: string, hasIngress = false) =>
  accepts({ issuer }) &&
  issuerForm.test(issuer) &&
  !ownPortForm.test(issuer) &&
  (!hasIngress || ingressForm.test(issuer))

describe('values.schema.json', () => {
  it.each(valueSets)('takes the set %s', (name) => {
    expect(accepts(valuesOf(`deploy/helm/golden/${name}.values.yaml`)), JSON.stringify(isValid.errors)).toBe(
      true,
    )
  })

  it('wants the two values that have no default', () => {
    for (const name of ['issuer', 'existingSecret']) expect(accepts({ [name]: null }), name).toBe(false)
  })

  it('refuses what Helm refused, but for what a template says', () => {
    expect(refused.length).toBeGreaterThan(40)
    for (const { values, template = false } of refused)
      expect(accepts(values), JSON.stringify(values)).toBe(template)
  })

  it('knows each value that has a default, and no other', () => {
    const optional = ['global', 'issuer', 'existingSecret', 'supplementalGroups', 'fsGroupChangePolicy']
    optional.push('nodeAffinity', 'podAffinity', 'podAntiAffinity', 'replicas', 'deadlineSeconds')
    const compare = (values: Values, { properties = {} }: Schema, place: string) => {
      const without = Object.keys(properties).filter((name) => !(name in values))
      for (const name of without) expect(optional, `${place}.${name} has no default`).toContain(name)
      for (const [name, value] of Object.entries(values)) {
        const { [name]: below } = properties
        expect(below, `${place}.${name} is not in the schema`).toBeDefined()
        if (below?.properties !== undefined && name !== 'settings')
          compare(value as Values, below, `${place}.${name}`)
      }
    }
    compare(defaults, schema, 'values')
  })

  it('lets no map have other keys, but for labels, annotations and what Kubernetes alone describes', () => {
    const open: string[] = []
    const look = (one: Schema, place: string) => {
      if (one.type === 'object' && one.additionalProperties === undefined) open.push(place)
      for (const [name, below] of Object.entries(one.properties ?? {})) look(below, `${place}.${name}`)
      if (one.items !== undefined) look(one.items, `${place}[]`)
    }
    look(schema, 'values')
    for (const [name, one] of Object.entries(schema.definitions)) look(one, name)
    const described = /^values\.(global|affinity\.\w+|extraVolumes\[\]\.\w+|extraEnv\[\]\.valueFrom\.\w+)$/
    expect(open.filter((place) => !described.test(place))).toEqual(['selector.matchExpressions[]'])
  })
})

describe('settings of the chart', () => {
  const { properties = {} } = schema.properties?.settings ?? {}
  const elsewhere = Object.keys(properties).filter((name) => properties[name]?.$ref?.endsWith('/elsewhere'))

  it('are those of the service', () => {
    expect(Object.keys(properties).sort()).toEqual(Object.keys(settingsSchema.shape).sort())
  })

  it.each(Object.entries(settingsSchema.shape))('%s is taken as the service takes it', (name, setting) => {
    if (properties[name]?.const !== undefined || elsewhere.includes(name)) return
    const standard = setting.safeParse(undefined).data
    const takes = (value: unknown) =>
      accepts({ settings: { [name]: value } }) && setting.safeParse(String(value)).success
    if (typeof standard === 'number') {
      expect(takes(standard)).toBe(true)
      expect(accepts({ settings: { [name]: 'many' } })).toBe(false)
    } else if (typeof standard === 'boolean') {
      expect(takes(true) && takes('false')).toBe(true)
      expect(accepts({ settings: { [name]: 'yes' } })).toBe(false)
    } else expect(accepts({ settings: { [name]: 7 } })).toBe(false)
  })

  it('have no secret and nothing of the chart itself: a template says where each belongs', () => {
    const named = Object.keys(properties).filter((name) =>
      /_SECRET|_URL(_FILE)?$|_ISSUER|_HOST|_PORT|_DECLARED/.test(name),
    )
    expect(elsewhere).toEqual(named.filter((name) => name !== 'TESSERA_DOCS_URL'))
    const places = yamlOf(defined('places')) as Values
    expect(Object.keys(places).sort()).toEqual(elsewhere.sort())
    for (const place of Object.values(places)) expect(place).toMatch(/^[a-z][^:]+[^.]$/i)
    expect(accepts({ settings: { TESSERA_MODE: 'development' } })).toBe(false)
  })
})

describe('the issuer', () => {
  it.each([
    ['https://id.example.com', true],
    ['https://id.example.com:8443', true],
    ['https://id.example.com/auth', true],
    ['https://example.com:8443/realms/acme', true],
    ['https://10.0.0.1', true],
    ['https://xn--bcher-kva.example', true],
    ['http://localhost:4000', true],
    ['https://id.example.com/', false],
    ['https://id.example.com:443', false],
    ['https://id.example.com:443/auth', false],
    ['https://id.example.com:70000', false],
    ['https://id.example.com:', false],
    ['https://ID.example.com', false],
    ['https://id.example.com?a=b', false],
    ['https://id.example.com/a/../b', false],
    ['https://id.example.com/a//b', false],
    ['https://id.example.com/%61', false],
    ['https://user:password@id.example.com', false],
    ['https://256.0.0.1', false],
  ])('%s is taken as the service takes it: %s', (issuer, isTaken) => {
    expect(URL.canParse(issuer) && isIssuer(issuer)).toBe(isTaken)
    expect(serves(issuer)).toBe(isTaken)
  })

  it.each([
    'id.example.com',
    'http://id.example.com',
    'ftp://id.example.com',
    `https://${'a'.repeat(64)}.example.com`,
    'https://-id.example.com',
    'https://id_1.example.com',
    'https://[2001:db8::1]',
    'https://id.example.com\n',
    '',
  ])('%s has no host that a cluster serves by https', (issuer) => {
    expect(serves(issuer)).toBe(false)
  })

  it.each(['https://10.0.0.1', 'http://localhost:4000'])('%s is no host of an Ingress', (issuer) => {
    expect(serves(issuer)).toBe(true)
    expect(serves(issuer, true)).toBe(false)
  })

  it('with a name, a port and a path is one of an Ingress', () => {
    expect(serves('https://example.com:8443/realms/acme', true)).toBe(true)
  })
})
