/** Changes, by a file, of who proves to be a client by tokens of another issuer. */
import { byKey } from '../access/by-key.ts'
import { type Federated, issuerProblem, whoMay, widthOf } from '../protocol/federated.ts'
import { issuersIn } from '../store/federated-subjects.ts'
import type { DeclaredRow, DeclaredState } from './state.ts'

/** One client, and who can prove to be it; null: nobody can any more. */
export interface ClientProof {
  client_id: string
  who: string | null
  /** Reasons why that is more than it looks. */
  beware: string[]
}

type Provable = Pick<DeclaredState, 'clients' | 'installation'>

/** The clients for which it becomes another, or whose issuer does. */
export function provingBetween(before: Provable, after: Provable): ClientProof[] {
  const had = byKey(before.clients, (row) => row.client_id)
  const [old, now] = [issuerTexts(before), issuerTexts(after)]
  return after.clients.flatMap((row): ClientProof[] => {
    const { client_id } = row
    const [was, is] = [provingOf(had.get(client_id), old), provingOf(row, now)]
    if (JSON.stringify(was) === JSON.stringify(is)) return []
    return [{ client_id, who: is?.who ?? null, beware: is?.beware ?? [] }]
  })
}

const issuerTexts = ({ installation }: Provable) =>
  issuersIn(installation.find(({ name }) => name === 'assertion_issuers')?.kept)

function provingOf(row: DeclaredRow<'clients'> | undefined, issuers: ReturnType<typeof issuerTexts>) {
  if (typeof row?.federated !== 'string') return undefined
  const federated = JSON.parse(row.federated) as Federated
  const { organisation_uuid } = row
  if (row.active !== 1 || issuerProblem(issuers, federated, organisation_uuid) !== undefined) return undefined
  // The issuer is compared as well: with other keys it may prove somebody else.
  const issuer = issuers.find((one) => one.issuer === federated.issuer)
  return { who: whoMay(federated), beware: widthOf(federated), issuer, organisation_uuid }
}
