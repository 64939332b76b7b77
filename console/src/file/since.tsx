import type { DeclaredPlan } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Badge, Name } from '../shared/text.tsx'
import { useThing } from './changes.tsx'
import { Many } from './many.tsx'

/** What is in this plan and not in the one that somebody saw, and the other way round. */
export function Since({ before, now }: { before: DeclaredPlan; now: DeclaredPlan }) {
  const { file: words } = useWords()
  const entries = useEntries()
  const [had, has] = [entries(before), entries(now)]
  const differing = [
    ...[...has].filter(([key]) => !had.has(key)).map(([key, text]) => ({ key, text, isNew: true })),
    ...[...had].filter(([key]) => !has.has(key)).map(([key, text]) => ({ key, text, isNew: false })),
  ]
  return (
    <section className="card warn" role="alert">
      <p>{words.outdated}</p>
      {differing.length > 0 && <h3>{words.since}</h3>}
      <Many of={differing} id={({ key }) => key}>
        {({ text, isNew }) => (
          <div className="named-change">
            <Name>{text}</Name>
            <Badge tone={isNew ? 'warn' : 'plain'}>{isNew ? words.now : words.noLonger}</Badge>
          </div>
        )}
      </Many>
    </section>
  )
}

/** Each entry of a plan with what names it. */
function useEntries(): (plan: DeclaredPlan) => Map<string, string> {
  const thing = useThing()
  const { change, file: words } = useWords()
  const at = (organisation: string | null, unit?: string | null) =>
    organisation === null ? words.everywhere : [organisation, unit].filter(Boolean).join(' › ')
  const gained = (gains: string[], loses: string[]) =>
    [
      gains.length > 0 && `${change.gains} ${gains.length}`,
      loses.length > 0 && `${change.loses} ${loses.length}`,
    ]
      .filter(Boolean)
      .join(', ')
  return ({ changes, access, adopts = [], unnamed = [] }) =>
    new Map([
      ...changes.map((one) => [JSON.stringify(one), thing(one)] as const),
      ...access.users.map(
        (one) =>
          [
            JSON.stringify(one),
            `${one.email}, ${at(one.organisation, one.unit)}: ${gained(one.gains, one.loses)}`,
          ] as const,
      ),
      ...access.clients.map(
        (one) =>
          [
            JSON.stringify(one),
            `${one.acting_for === undefined ? one.client_id : change.actingFor(one.client_id, one.acting_for)}, ${at(one.organisation)}: ${gained(one.gains, one.loses)}`,
          ] as const,
      ),
      ...adopts.map((one) => [JSON.stringify(one), `${words.adopts}: ${thing(one)}`] as const),
      ...unnamed.map((one) => [JSON.stringify(one), `${words.unnamed}: ${thing(one)}`] as const),
    ])
}
