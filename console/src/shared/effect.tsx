import { Fragment } from 'react'
import type { DryRun } from '../api/change.ts'
import { useWords } from '../messages/messages.tsx'
import { usePlaces } from './place.ts'
import { Name, Time } from './text.tsx'

/** The most people and applications that are told one by one. */
const most = 8

type Row = Pick<NonNullable<DryRun['access']>['clients'][number], 'gains' | 'loses'> &
  Parameters<ReturnType<typeof usePlaces>>[0] & { who: string }

/** What one change would do, or several together. */
export type Told = Omit<DryRun, 'dry_run' | 'would'>

/** What a change would do, as it was tried out: who gains and loses what, what ends, what goes along. */
export function Effect({
  of: tried,
  nothing,
}: {
  of: Told | undefined
  /** What to say where nobody is touched by it; empty: nothing. */
  nothing?: string
}) {
  const { change, confirm, file } = useWords()
  const stops = useStops(tried)
  const rows: Row[] = [
    ...(tried?.access?.users ?? []).map((one) => ({ ...one, who: one.email })),
    ...(tried?.access?.clients ?? []).map(({ acting_for: service, ...one }) => ({
      ...one,
      who: service === undefined ? one.client_id : change.actingFor(one.client_id, service),
    })),
  ]
  const place = usePlaces(rows.slice(0, most))
  if (tried === undefined) return null
  const { sessions = 0, token_families: families = 0 } = tried.ends ?? {}
  const enters = tried.enters ?? []
  const { weakens, proves, forces } = tried
  const along = Object.entries(tried.removed_with)
  const told = rows.length + enters.length + weakens.length + proves.length + stops.length
  return (
    <div className="effect">
      {along.length > 0 && (
        <p>
          {change.removedWith}{' '}
          {along
            .map(([kind, count]) => `${count} ${change.kinds[kind]?.[count === 1 ? 0 : 1] ?? kind}`)
            .join(', ')}
        </p>
      )}
      {enters.map(({ client_id: id, shut_out: out, let_in: newly }) => (
        <Fragment key={id}>
          {out.people > 0 && <p className="loses">{change.shutOut(out.people, out.organisations, id)}</p>}
          {newly.people > 0 && <p className="gains">{change.letIn(newly.people, newly.organisations, id)}</p>}
        </Fragment>
      ))}
      {forces && (
        <p className="loses">
          {change.forces(forces.people, forces.never)}{' '}
          {forces.last_used_at && (
            <>
              {change.lastThrough} <Time at={forces.last_used_at} />
            </>
          )}
        </p>
      )}
      {stops.map((text) => (
        <p key={text} className="loses">
          {text}
        </p>
      ))}
      {sessions + families > 0 && <p>{change.ends(sessions, families)}</p>}
      {rows.length > 0 && (
        <ul>
          {rows.slice(0, most).map((row) => (
            <li key={`${row.who} ${place(row)}`}>
              <strong>
                <Name>{row.who}</Name>
              </strong>{' '}
              <span className="soft">
                <Name>{place(row)}</Name>
              </span>
              <Codes label={change.gains} sign="+" codes={row.gains} />
              <Codes label={change.loses} sign="−" codes={row.loses} />
            </li>
          ))}
        </ul>
      )}
      {tried.access && (rows.length > most || !tried.access.complete) && (
        <p className="soft">{change.others(rows.length - most, tried.access.complete)}</p>
      )}
      {weakens.length > 0 && (
        <div className="weakens">
          <strong>{change.weakens}</strong>
          <ul>
            {weakens.map(({ client_id: id, field, detail }) => (
              <li key={`${id} ${field} ${detail}`}>
                <Name>{id}</Name>, <code translate="no">{field}</code> {detail}
              </li>
            ))}
          </ul>
        </div>
      )}
      {proves.length > 0 && (
        <div className="weakens">
          <strong>{file.proves}</strong>
          <ul>
            {proves.map(({ client_id: id, who, beware }) => (
              <li key={id}>
                <Name>{id}</Name>: <Name>{who ?? file.provesNobody}</Name> {beware.join(' ')}
              </li>
            ))}
          </ul>
        </div>
      )}
      {tried.access && told === 0 && !forces && <p className="soft">{nothing ?? change.noAccess}</p>}
      {tried.sign_in_again && <p className="soft">{confirm.before}</p>}
    </div>
  )
}

/** People whom stricter policies stop, in sentences. */
function useStops(tried: Told | undefined): string[] {
  const { change, file } = useWords()
  const { strengthens } = tried ?? {}
  if (!strengthens) return []
  const { enrol, refresh } = strengthens
  return [
    ...(enrol.people > 0 ? [file.enrol(enrol.people)] : []),
    ...(refresh === null ? [change.manySignIns] : []),
    ...(refresh !== null && refresh.people > 0 ? [file.refresh(refresh.people, refresh.clients)] : []),
  ]
}

function Codes({ label, sign, codes }: { label: string; sign: '+' | '−'; codes: readonly string[] }) {
  if (codes.length === 0) return null
  const shown = codes.slice(0, most)
  return (
    <p className={sign === '+' ? 'gains' : 'loses'}>
      <span aria-hidden="true">{sign}</span> {label}{' '}
      {shown.map((code) => (
        <Fragment key={code}>
          <code translate="no">{code}</code>{' '}
        </Fragment>
      ))}
      {codes.length > most && `+ ${codes.length - most}`}
    </p>
  )
}

/** Whether people lose something by it. */
export const loses = (tried: Told | undefined): boolean =>
  tried?.access?.users.some(({ loses }) => loses.length > 0) ||
  tried?.enters?.some(({ shut_out: out }) => out.people > 0) ||
  false
