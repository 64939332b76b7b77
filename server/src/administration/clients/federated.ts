/** Rules of what may be set as `federated` of a client, and as issuers of the installation. */
import type { Reach } from '../../access/reach.ts'
import { isThere, rowOf } from '../../database/rows.ts'
import { type Federated, isOpenTo, issuerProblem } from '../../protocol/federated.ts'
import { wrongField } from '../../protocol/problem.ts'
import { issuersIn, subjectKeyOf } from '../../store/federated-subjects.ts'
import type { By, Row, Transacting } from '../by.ts'
import { wantRecentSignIn } from '../recent-sign-in.ts'

type Bound = Pick<Row<'clients'>, 'federated' | 'organisation_uuid'>

/** Throws where a match is newly of an issuer that is not declared for it, or its subject is another client's. */
export async function checkFederated(
  trx: Transacting,
  before: Bound | undefined,
  { federated, organisation_uuid }: Bound,
): Promise<void> {
  if (federated === null) return
  if (federated === before?.federated && organisation_uuid === before.organisation_uuid) return
  const row = await rowOf(trx, 'installation', { name: 'assertion_issuers' })
  const match = JSON.parse(federated) as Federated
  const problem = issuerProblem(issuersIn(row?.kept), match, organisation_uuid)
  if (problem !== undefined) throw wrongField('federated.issuer', `It ${problem}.`)
  const key = subjectKeyOf({ federated, organisation_uuid })
  if (key !== undefined && (await isThere(trx, 'federated_subjects', { key })))
    throw wrongField('federated.subject', 'Another client has this subject of the issuer.', 'conflict')
}

/** The issuers as the caller sees them: within an organisation those that are open to it, and no other organisation. */
export function seenIssuers(kept: string, { organisation_uuid }: Reach): string {
  if (organisation_uuid === undefined) return kept
  const open = issuersIn(kept).filter((one) => isOpenTo(one, organisation_uuid))
  return JSON.stringify({ issuers: open.map((one) => ({ ...one, organisations: [organisation_uuid] })) })
}

/** Throws unless who asks may say whose tokens prove clients: that is as good as every client of theirs. */
export async function checkIssuers(trx: Transacting, by: By, before: string, after: string): Promise<void> {
  by.authority.changesEverything()
  const known = new Set(issuersIn(before).flatMap((one) => one.organisations ?? []))
  for (const [index, { organisations = [] }] of issuersIn(after).entries())
    for (const uuid of organisations)
      if (!known.has(uuid) && !(await isThere(trx, 'organisations', { uuid })))
        throw wrongField(`issuers.${index}.organisations`, `There is no organisation ${uuid}.`)
  wantRecentSignIn(by)
}
