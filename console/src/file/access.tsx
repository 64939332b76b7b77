import type { DeclaredPlan } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Name } from '../shared/text.tsx'
import { Many } from './many.tsx'

interface Placed {
  organisation: string | null
  unit?: string | null
  gains: string[]
  loses: string[]
}

/** The access that changes, and where: people who gain or lose, then applications. */
export function AccessChanges({ access: { users, clients } }: Pick<DeclaredPlan, 'access'>) {
  const { file: words, change } = useWords()
  const people = byWho(users, ({ email }) => email)
  const applications = byWho(clients, ({ client_id: id, acting_for: service }) =>
    service === undefined ? id : change.actingFor(id, service),
  )
  return (
    <section className="card">
      <h3>{words.access}</h3>
      {users.length + clients.length === 0 && <p className="soft">{words.noAccess}</p>}
      <Whose title={words.people} of={people} />
      <Whose title={words.applications} of={applications} />
    </section>
  )
}

type Of = [who: string, places: Placed[]]

function byWho<T extends Placed>(rows: readonly T[], who: (row: T) => string): Of[] {
  const found = new Map<string, Placed[]>()
  for (const row of rows) found.set(who(row), [...(found.get(who(row)) ?? []), row])
  return [...found]
}

function Whose({ title, of }: { title: string; of: readonly Of[] }) {
  if (of.length === 0) return null
  return (
    <>
      <h4>{`${title} (${of.length})`}</h4>
      <Many of={of} id={([who]) => who}>
        {([who, places]) => (
          <>
            <strong>
              <Name>{who}</Name>
            </strong>
            {places.map((one) => (
              <At key={`${one.organisation} ${one.unit}`} {...one} />
            ))}
          </>
        )}
      </Many>
    </>
  )
}

function At({ organisation, unit, gains, loses }: Placed) {
  const { file: words, change } = useWords()
  return (
    <div className="at">
      <span className="soft">
        {organisation === null ? (
          words.everywhere
        ) : (
          <Name>{[organisation, unit].filter(Boolean).join(' › ')}</Name>
        )}
      </span>
      <Codes label={change.gains} sign="+" codes={gains} />
      <Codes label={change.loses} sign="−" codes={loses} />
    </div>
  )
}

/** More of the administration are told as one. */
const few = 8

function Codes({ label, sign, codes }: { label: string; sign: '+' | '−'; codes: readonly string[] }) {
  if (codes.length === 0) return null
  const ofIam = codes.filter((code) => code.startsWith('iam.'))
  const shown =
    ofIam.length > few
      ? [...codes.filter((code) => !code.startsWith('iam.')), `iam.* (${ofIam.length})`]
      : codes
  return (
    <p className={sign === '+' ? 'gains' : 'loses'}>
      <span aria-hidden="true">{sign}</span> {label}{' '}
      {shown.map((code) => (
        <code key={code} translate="no">
          {code}
        </code>
      ))}
    </p>
  )
}
