import { LineCounter, stringify } from 'yaml'
import * as z from 'zod'
import { optionalClaims } from '../protocol/claims.ts'
import { codeProblem } from '../protocol/values.ts'
import { iamWildcard, isPermission } from '../protocol/permission.ts'
import { checkedBy } from '../catalogue/check.ts'
import { checked } from '../catalogue/checked.ts'
import { FileDocument } from '../declared/document.ts'
import { Problems } from '../declared/problems.ts'
import { readYaml } from '../declared/yaml.ts'
import { sendsValues } from './told.ts'

const code = checked(codeProblem, 60)
const permission = checked(
  (text) =>
    isPermission(text) || text === iamWildcard
      ? undefined
      : 'is no permission: <service>.<resource>.<action>',
  200,
)
/** A place where somebody belongs; without a role, they have that of what they hold. */
const place = z
  .strictObject({ role: code.optional(), organisation: code.optional(), unit: code.optional() })
  .refine((one) => one.unit === undefined || one.organisation !== undefined, {
    error: 'A unit needs its organisation.',
  })
export type MappedPlace = z.output<typeof place>

const attribute = z.strictObject({
  editable_by_people: z.enum(['yes', 'no']),
  claim: z.enum(optionalClaims).optional(),
  profiles: z.record(z.string(), place).optional(),
})

const mapping = z.strictObject({
  organisations: z.record(z.string(), code.nullable()).default({}),
  elsewhere: code.nullable().optional(),
  permissions: z.record(z.string(), permission.nullable()).default({}),
  roles: z
    .array(z.strictObject({ holds: z.array(z.string()), role: code.nullable(), people: z.int().optional() }))
    .default([]),
  groups: z.record(z.string(), place.nullable()).default({}),
  attributes: z.record(z.string(), attribute).default({}),
  redirect_uris: z.record(z.string(), z.array(z.string())).default({}),
  sends: z.record(z.string(), z.enum(sendsValues)).default({}),
})

/** How roles, groups and attributes become profiles and claims; people edit it. */
export type Mapping = z.output<typeof mapping>

export const noMapping: Mapping = mapping.parse({})

/** Reads a mapping that somebody edited. Throws `DeclaredFileError` with all that is wrong, by its line. */
export function readMapping(text: string): Mapping {
  const file = 'mapping.yaml'
  const lines = new LineCounter()
  const problems = new Problems(file)
  const document = new FileDocument(readYaml(text, { file, lines }), lines, problems)
  problems.throwIfAny()
  const { data, problems: wrong = [] } = checkedBy(mapping, document.data ?? {})
  for (const { field, detail } of wrong)
    problems.add(document.lineOf(field.split('.')), `${field}: ${detail}`)
  for (const [name, one] of Object.entries(data?.attributes ?? {}))
    if (one.profiles !== undefined && one.editable_by_people === 'yes')
      problems.add(document.lineOf(['attributes', name]), `attributes.${name}: ${isEdited}`)
  problems.throwIfAny()
  return data ?? noMapping
}

const isEdited =
  'people can edit it in the other system, so nobody gets a profile by it. Where that is not so, write editable_by_people: no.'

const heading = `# Written by tessera move-in: what roles, groups and attributes of the other system become here. Edit it, and run the
# same command again: what stands here is kept, what is new is added.
`

const words: Record<keyof Mapping, string> = {
  organisations: 'Organisations, by the code that they get. null leaves one out.',
  elsewhere: 'The organisation of people who belong to none. null: they are of the whole installation.',
  permissions: 'What a role gives: a permission. null: nothing. Nothing becomes iam.* by itself.',
  roles: 'What somebody holds, and the role that they have by it. null: no profile by it.',
  groups:
    'Whoever is in a group, or below it, may have a profile at a place: {organisation: acme, unit: berlin, role: reader}. Without role: that of what they hold.',
  attributes:
    'An attribute may fill a claim (claim: locale), or give a profile by its value (profiles: {"4711": {role: reader, organisation: acme}}), where people can not edit it.',
  redirect_uris:
    'Clients whose redirect URIs hold a wildcard: write each address exactly. What was seen in sign-ins stands here already, and is registered by the next run: look at each.',
  sends:
    'Applications with a secret, of which the other system demanded neither: nonce where they send a nonce (Spring Boot), pkce where they send PKCE (openid-client, Grafana, oauth2-proxy with --code-challenge-method=S256). One that sends neither is refused.',
}

/** The mapping as it is written, with what each part is for. */
export function mappingText(mapped: Mapping): string {
  const parts = (Object.keys(words) as (keyof Mapping)[]).map((name) => {
    const lines = words[name].match(/.{1,110}(?: |$)/g) ?? []
    const comment = lines.map((line) => `# ${line.trimEnd()}\n`).join('')
    return `\n${comment}${stringify({ [name]: mapped[name] ?? null }, { version: '1.2', lineWidth: 0, flowCollectionPadding: false })}`
  })
  return heading + parts.join('')
}
