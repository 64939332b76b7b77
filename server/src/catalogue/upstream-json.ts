import * as z from 'zod'
import { codeProblem } from '../protocol/values.ts'
import { anyText, checked } from './checked.ts'
import { json } from './kinds.ts'

const rule = z
  .strictObject({
    group: anyText(500).optional(),
    claim: anyText(200).optional(),
    equals: anyText(500).optional(),
    role: checked(codeProblem, 60),
    unit: checked(codeProblem, 60).optional(),
  })
  .check((context) => {
    const { group, claim, equals } = context.value
    if ((group === undefined) === (claim === undefined && equals === undefined))
      context.issues.push({
        code: 'custom',
        input: context.value,
        message: 'It has a group, or a claim with equals.',
      })
    else if ((claim === undefined) !== (equals === undefined))
      context.issues.push({
        code: 'custom',
        input: context.value,
        message: 'claim and equals come together.',
      })
  })

/** What groups or claims give within the organisation. */
export const mapping = json(z.array(rule).max(1000))

const name = anyText(200).optional()
/** The claims or attributes that tell the fields of a person. */
export const attributes = json(
  z.strictObject({
    email: name,
    name,
    given_name: name,
    family_name: name,
    preferred_username: name,
    locale: name,
    zoneinfo: name,
    groups: name,
  }),
)

/** Which values of `acr`, `amr` or AuthnContext count as which level. */
export const assurance = json(z.record(anyText(500), z.enum(['2', 'phr'])))
