/** Changes of the workloads that prove to be a client by tokens of another issuer. */
import type { ClientRow } from '../database/schema.ts'
import { type Federated, issuerProblem, whoMay, widthOf } from '../protocol/federated.ts'
import { issuersIn } from '../store/federated-subjects.ts'
import { byKey } from './by-key.ts'

/** One client, and who can prove to be it; null: nobody can any more. */
export interface ClientProof {
  client_id: string
  who: string | null
  /** Reasons why that is more than it looks. */
  beware: string[]
}

type ProvableClient = Pick<ClientRow, 'client_id' | 'active' | 'organisation_uuid'> & { federated?: unknown }

/** The clients, and what is kept of the installation. */
interface Provable {
  clients: readonly ProvableClient[]
  installation: readonly { name: string; kept: string }[]
}

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

function provingOf(row: ProvableClient | undefined, issuers: ReturnType<typeof issuerTexts>) {
  if (typeof row?.federated !== 'string') return undefined
  const federated = JSON.parse(row.federated) as Federated
  const { organisation_uuid } = row
  if (row.active !== 1 || issuerProblem(issuers, federated, organisation_uuid) !== undefined) return undefined
  // The issuer is compared as well: with other keys it may prove somebody else.
  const issuer = issuers.find((one) => one.issuer === federated.issuer)
  return { who: whoMay(federated), beware: widthOf(federated), issuer, organisation_uuid }
}
