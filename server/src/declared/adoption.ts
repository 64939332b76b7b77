import { type Maker, targetKey } from './makers.ts'
import type { DeclaredView } from './state.ts'
import type { ChangeKind } from './kinds.ts'
import { Codes } from './codes.ts'

/** The credentials of a user or a client, and what was given for them. */
type Own = 'password' | 'factors' | 'client_secret' | 'sessions' | 'tokens' | 'consents'

/** What an adopted thing has that the file does not name. */
export interface Owning {
  keeps?: readonly Own[]
  /** Because somebody of limited reach made it or set it. */
  loses?: readonly Own[]
}

/** Something that exists, was not managed by the file, and is from now on. */
export interface Adopted extends Owning {
  kind: ChangeKind
  /** The id, as in `Change`. */
  id: string
  /** What the audit knows it by. */
  key: string
  managedBy: string | null
  createdAt?: number | undefined
}

/** An adoption as a plan tells it. */
export interface Adoption extends Required<Owning> {
  kind: ChangeKind
  id: string
  /** The maker in words; null: not known. */
  made_by: string | null
  made_at: string | null
  /** The file that managed it until now; null: none did. */
  managed_by: string | null
}

/** What is adopted, with who made it and when. */
export async function adoptionsOf(adopted: readonly Adopted[], view: DeclaredView): Promise<Adoption[]> {
  if (adopted.length === 0) return []
  const makers = await view.makersOf(adopted)
  const codes = new Codes(view.state)
  return adopted.map((one) => {
    const { kind, id, createdAt, managedBy, keeps = [], loses = [] } = one
    const maker = makers.get(targetKey(one))
    const at = maker?.at ?? createdAt
    return {
      kind,
      id,
      made_by: maker === undefined ? null : makerText(maker, codes),
      made_at: at === undefined ? null : new Date(at).toISOString(),
      managed_by: managedBy,
      keeps,
      loses,
    }
  })
}

/** Such as `head@acme.example of acme`. */
function makerText({ kind, name, organisation_uuid, importedFrom }: Maker, codes: Codes): string {
  // An import by the command is of the machine's holder; over HTTP the importer's name counts.
  if (importedFrom !== null && kind === 'command') return `import of ${importedFrom}`
  const who = {
    user: '',
    client: 'client ',
    command: 'command by ',
    service: 'the service',
    anonymous: 'a setup link',
    upstream: 'upstream ',
    directory: 'directory ',
  }
  const organisation = codes.of(organisation_uuid)
  const of = organisation_uuid === null ? '' : ` of ${organisation ?? organisation_uuid}`
  return `${who[kind]}${name ?? ''}${of}`
}
