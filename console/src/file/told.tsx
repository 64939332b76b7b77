import type { DeclaredPlan } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Name } from '../shared/text.tsx'
import { Part } from './many.tsx'

/** What a plan tells beside access and changes: who may enter, what gets weaker, whom something stops. */
export function Told({
  enters = [],
  weakens = [],
  proves = [],
  strengthens,
  waits = [],
  holds = [],
  unmet = [],
}: DeclaredPlan) {
  const { file: words, change } = useWords()
  const entering = enters.flatMap(({ client_id: id, shut_out: out, let_in: newly }) => [
    ...(out.people > 0 ? [{ text: change.shutOut(out.people, out.organisations, id), tone: 'loses' }] : []),
    ...(newly.people > 0
      ? [{ text: change.letIn(newly.people, newly.organisations, id), tone: 'gains' }]
      : []),
  ])
  const stopped = strengthens && [
    ...(strengthens.enrol.people > 0 ? [words.enrol(strengthens.enrol.people)] : []),
    ...(strengthens.refresh.people > 0
      ? [words.refresh(strengthens.refresh.people, strengthens.refresh.clients)]
      : []),
    ...(strengthens.sign_in ? [words.upstreamFirst(strengthens.sign_in.people)] : []),
  ]
  return (
    <>
      <Part title={words.enters} of={entering} id={({ text }) => text}>
        {({ text, tone }) => <p className={tone}>{text}</p>}
      </Part>
      <Part
        title={words.weakens}
        tone="warn"
        of={weakens}
        id={(one) => `${one.client_id} ${one.field} ${one.detail}`}
      >
        {({ client_id: id, field, detail }) => (
          <>
            <Name>{id}</Name>, <code translate="no">{field}</code> {detail}
          </>
        )}
      </Part>
      <Part title={words.proves} tone="warn" of={proves} id={({ client_id: id }) => id}>
        {({ client_id: id, who, beware }) => (
          <>
            <Name>{id}</Name>: <Name>{who ?? words.provesNobody}</Name>
            {beware.map((one) => (
              <p key={one} className="soft">
                {one}
              </p>
            ))}
          </>
        )}
      </Part>
      <Part title={words.strengthens} tone="warn" of={stopped ?? []} id={(text) => text}>
        {(text) => text}
      </Part>
      <Part title={words.waits} of={waits} id={({ email, profile }) => `${email} ${profile}`}>
        {({ email, profile, made_by: by }) => (
          <>
            <strong>
              <Name>{email}</Name>
            </strong>
            <p className="soft">{words.waitsHow(profile, by ?? '–')}</p>
          </>
        )}
      </Part>
      <Part title={words.holds} of={holds} id={({ email }) => email}>
        {({ email, holder }) => (
          <>
            <strong>
              <Name>{email}</Name>
            </strong>
            <p className="soft">{words.holdsHow(holder)}</p>
          </>
        )}
      </Part>
      <Part title={words.unmet} tone="warn" of={unmet} id={({ client_id: id }) => id}>
        {({ client_id: id, entries }) => words.unmetHow(id, entries.join(', '))}
      </Part>
    </>
  )
}
