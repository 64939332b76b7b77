/** The lines of a mapping: a group, or a claim and its value, and the role that it gives, perhaps at a unit. */
import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { answered, api, type Upstream } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Choice, Field } from '../shared/form.tsx'
import { useMay } from '../shared/me.ts'
import { Picker } from '../shared/picker.tsx'
import { RolePicker } from '../shared/pickers.tsx'
import { Empty } from '../shared/state.tsx'
import { Table } from '../shared/table.tsx'

export type Rule = Upstream['mapping'][number]

/** Nothing of it is still to be said. */
export const isWhole = ({ group, claim, equals, role }: Rule): boolean =>
  role !== '' && (claim === undefined ? group !== '' : claim !== '' && equals !== '')

export const ruleWords = ({ group, claim, equals, role, unit }: Rule): string =>
  `${group ?? `${claim} = ${equals}`} → ${role}${unit === undefined ? '' : ` (${unit})`}`

/** Undefined takes a field out. */
type Changes = { [name in keyof Rule]?: Rule[name] | undefined }

/** A rule with its fields in the API's order, so that the same is known as the same. */
const ruleOf = ({ group, claim, equals, role = '', unit }: Changes): Rule => ({
  ...(group !== undefined && { group }),
  ...(claim !== undefined && { claim }),
  ...(equals !== undefined && { equals }),
  role,
  ...(unit !== undefined && { unit }),
})

interface RulesOf {
  value: readonly Rule[]
  onChange: (rules: Rule[]) => void
  /** What the API said of each field, such as `mapping.0.role`. */
  wrong: Readonly<Record<string, string>>
  organisation: string
  groupsAlone: boolean
  readOnly: boolean
}

export function RuleTable(all: RulesOf) {
  const { mapping: words } = useWords()
  const { value, onChange, readOnly } = all
  const add = () => onChange([...value, { group: '', role: '' }])
  const cell = (show: (line: Line) => ReactNode) => (at: number) => {
    const rule = value[at]
    if (rule === undefined) return null
    const change = (changes: Changes) =>
      onChange(value.map((one, index) => ruleOf(index === at ? { ...one, ...changes } : one)))
    return show({ ...all, rule, at, change })
  }
  return (
    <div className="rules">
      {value.length === 0 ? (
        <Empty title={words.empty}>{words.emptyHow}</Empty>
      ) : (
        <fieldset disabled={readOnly}>
          <legend className="away">{words.title}</legend>
          <Table
            label={words.title}
            rows={value.map((_, index) => index)}
            id={String}
            columns={[
              { title: words.told, cell: cell((line) => <When {...line} />) },
              { title: words.role, cell: cell((line) => <Role {...line} />) },
              { title: words.unit, cell: cell((line) => <Unit {...line} />) },
              {
                title: words.remove,
                plain: true,
                away: true,
                cell: cell(({ rule, at }) => (
                  <button
                    type="button"
                    className="quiet"
                    aria-label={words.removeLine(ruleWords(rule))}
                    onClick={() => onChange(value.filter((_, index) => index !== at))}
                  >
                    {words.remove}
                  </button>
                )),
              },
            ]}
          />
        </fieldset>
      )}
      {!readOnly && (
        <Button variant="default" onClick={add}>
          {words.add}
        </Button>
      )}
    </div>
  )
}

interface Line extends RulesOf {
  rule: Rule
  at: number
  change: (changes: Changes) => void
}

/** What the provider has to tell. */
function When({ rule, at, change, wrong, groupsAlone }: Line) {
  const { mapping: words } = useWords()
  const error = (field: string) => wrong[`mapping.${at}.${field}`]
  const whole = wrong[`mapping.${at}`]
  const isClaim = rule.claim !== undefined
  return (
    <div className="when">
      {!groupsAlone && (
        <Choice
          aria-label={words.by}
          value={isClaim ? 'claim' : 'group'}
          onChange={(kind) =>
            change(
              kind === 'claim'
                ? { group: undefined, claim: '', equals: '' }
                : { group: '', claim: undefined, equals: undefined },
            )
          }
          data={[
            { value: 'group', label: words.group },
            { value: 'claim', label: words.claim },
          ]}
        />
      )}
      {isClaim ? (
        <>
          <Field
            aria-label={words.claim}
            placeholder="department"
            spellCheck={false}
            value={rule.claim ?? ''}
            onChange={(claim) => change({ claim })}
            error={error('claim') ?? whole}
          />
          <Field
            aria-label={words.equals}
            placeholder={words.equals}
            spellCheck={false}
            value={rule.equals ?? ''}
            onChange={(equals) => change({ equals })}
            error={error('equals')}
          />
        </>
      ) : (
        <Field
          aria-label={words.group}
          placeholder={words.groupHint}
          spellCheck={false}
          value={rule.group ?? ''}
          onChange={(group) => change({ group })}
          error={error('group') ?? whole}
        />
      )}
    </div>
  )
}

function Role({ rule: { role }, at, change, wrong }: Line) {
  const { mapping: words, pick } = useWords()
  const error = wrong[`mapping.${at}.role`] ?? wrong[`mapping.${at}.role_code`]
  const may = useMay()
  if (!may('iam.roles.read'))
    return (
      <Field
        aria-label={words.role}
        value={role}
        onChange={(typed) => change({ role: typed })}
        error={error}
      />
    )
  return (
    <RolePicker
      bare
      label={words.role}
      hint={pick.role}
      value={role || undefined}
      onChange={(code) => change({ role: code ?? '' })}
      error={error}
    />
  )
}

/** The role by its code: a mapping names it as a declared file does. */
function Unit({ rule: { unit }, at, change, wrong, organisation }: Line) {
  const { mapping: words } = useWords()
  const find = async (q: string) => {
    const query = { organisation_uuid: organisation, limit: '20', ...(q && { q }) }
    const { items } = await answered(api.GET('/admin/v1/units', { params: { query } }))
    return items.map(({ code, name }) => ({ value: code, label: name, note: code }))
  }
  return (
    <Picker
      bare
      label={words.unit}
      hint={words.anywhere}
      within={organisation}
      value={unit}
      onChange={(code) => change({ unit: code })}
      find={find}
      error={wrong[`mapping.${at}.unit`]}
    />
  )
}
