/** What groups and claims give, with what a change of it would do beside. */
import { Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type DryRun, useTried } from '../api/change.ts'
import type { Answer, Upstream } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Conflict, type Tagged, useEdit } from '../shared/conflict.tsx'
import { Effect } from '../shared/effect.tsx'
import { fieldsOf, Form } from '../shared/form.tsx'
import { Refused } from '../shared/state.tsx'
import { Name } from '../shared/text.tsx'
import { isWhole, type Rule, RuleTable, ruleWords } from './rules.tsx'

type Mapped = Pick<Upstream, 'mapping'>

export function Mapping({
  current,
  target,
  organisation,
  file,
  lead,
  groupsAlone = false,
  mayChange,
  ask,
}: {
  current: Tagged<Mapped>
  /** The upstream or directory. */
  target: string
  organisation: string
  file: string | null
  lead: string
  groupsAlone?: boolean
  mayChange: boolean
  ask: (body: Partial<Mapped>, tag: string, query: { dry_run?: 'true' }) => Promise<Answer<Mapped | DryRun>>
}) {
  const { mapping: words, settings, change: shared } = useWords()
  const edit = useEdit<Mapped, Mapped>(current, (changes, tag, { query }) => ask(changes, tag, query))
  const { change, changed, conflict } = edit
  const [typed] = useDebouncedValue(edit.draft, 300)
  const whole = edit.value.mapping.every(isWhole)
  const isTried = changed && whole && typed.mapping !== undefined && conflict === undefined
  const tried = useTried(
    ['mapping', target, edit.tag, typed],
    isTried ? ({ query }) => ask(typed, edit.tag, query) : undefined,
  )
  const wrong = fieldsOf(change.error ?? tried.error)
  const isWrong = Object.keys(wrong).length > 0
  return (
    <Form
      sent={{ error: conflict || isWrong ? null : change.error, isPending: change.isPending }}
      submit={edit.save}
      label={settings.save}
      disabled={!mayChange || !changed || !whole || conflict !== undefined}
      beside={
        changed && (
          <Button variant="default" onClick={edit.discard}>
            {settings.discard}
          </Button>
        )
      }
    >
      <p className="lead">{lead}</p>
      <div className="halves">
        <RuleTable
          value={edit.value.mapping}
          onChange={(mapping) => edit.set({ mapping })}
          wrong={wrong}
          organisation={organisation}
          groupsAlone={groupsAlone}
          readOnly={!mayChange}
        />
        <section className="card" aria-labelledby="effect">
          <h2 id="effect">{words.effect}</h2>
          {!changed && <p className="soft">{words.effectHow}</p>}
          {changed && !whole && <p className="soft">{words.incomplete}</p>}
          {isTried && tried.isFetching && <p className="soft">{shared.trying}</p>}
          {isTried && tried.error && !isWrong ? <Refused error={tried.error} /> : null}
          {isTried && !tried.isFetching && <Effect of={tried.data} />}
          {isWrong && (
            <p className="wrong" role="alert">
              {settings.wrong}
            </p>
          )}
        </section>
      </div>
      {changed && file && <p className="notice warn">{shared.override(file)}</p>}
      <Conflict
        edit={edit}
        target={target}
        labels={{ mapping: words.title }}
        shown={(_, value) => <Lines rules={value as readonly Rule[]} />}
      />
    </Form>
  )
}

function Lines({ rules }: { rules: readonly Rule[] }) {
  return rules.map((rule) => (
    <div key={JSON.stringify(rule)}>
      <Name>{ruleWords(rule)}</Name>
    </div>
  ))
}
