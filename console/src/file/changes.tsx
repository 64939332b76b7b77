import type { DeclaredPlan } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Badge, Name } from '../shared/text.tsx'

export type Change = DeclaredPlan['changes'][number]
type Field = Change['fields'][number]

/** A thing as the plan names it: "role bookkeeper". */
export function useThing(): (thing: Named) => string {
  const { file: words, change } = useWords()
  return ({ kind, id }) => `${words.kinds[kind] ?? change.kinds[kind]?.[0] ?? kind} ${words.kinds[id] ?? id}`
}

interface Named {
  kind: string
  id: string
}

/** A thing whose name alone is not translated. */
export function Thing({ kind, id }: Named) {
  const { file: words, change } = useWords()
  return (
    <strong>
      {words.kinds[kind] ?? change.kinds[kind]?.[0] ?? kind} <Name>{words.kinds[id] ?? id}</Name>
    </strong>
  )
}

/** One change, field by field. */
export function OneChange({ kind, action, id, fields, pruned }: Change) {
  const { file: words } = useWords()
  // What is new is enabled, unless it says otherwise.
  const told = fields.filter(
    ({ field, after }) => action !== 'create' || field !== 'active' || after !== true,
  )
  const said = { create: words.made, change: words.changed, remove: words.gone }[action]
  const tone = ({ create: 'good', change: 'plain', remove: 'bad' } as const)[action]
  return (
    <>
      <div className="named-change">
        <Thing {...{ kind, id }} />
        <Badge tone={tone}>{said}</Badge>
        {pruned && <span className="soft">{words.pruned}</span>}
      </div>
      {told.length > 0 && (
        <dl className="diff">
          {told.map((field) => (
            <div key={field.field}>
              <dt>
                <code translate="no">{field.field}</code>
              </dt>
              <dd>
                <Difference {...field} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  )
}

/** The difference of two lists is what came and went; of all else, the value before and after. */
function Difference({ before, after, hidden }: Field) {
  const { file: words } = useWords()
  if (hidden) return <span className="soft">{words.hidden}</span>
  if (isList(before ?? []) && isList(after ?? []) && (before ?? after) !== null) {
    const [old, made] = [before, after].map((one) => ((one ?? []) as unknown[]).map(textOf))
    return (
      <>
        {made
          ?.filter((one) => !old?.includes(one))
          .map((one) => (
            <ins key={one}>{one}</ins>
          ))}
        {old
          ?.filter((one) => !made?.includes(one))
          .map((one) => (
            <del key={one}>{one}</del>
          ))}
      </>
    )
  }
  const [old, made] = [before, after].map((one) => (isEmpty(one) ? words.empty : textOf(one)))
  return (
    <>
      {!isEmpty(before) && <del>{old}</del>}
      <ins>{made}</ins>
    </>
  )
}

const isList = (value: unknown): value is unknown[] => Array.isArray(value)
const isEmpty = (value: unknown) => value === null || value === undefined || value === ''
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
