import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { answered, api, type DeclaredPlan, Refusal } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { useHandedFile } from '../shared/handed-file.ts'
import { useMayDeclare } from '../shared/me.ts'
import { linesOf, RefusedLines } from '../shared/numbered.tsx'
import { Refused } from '../shared/state.tsx'
import { FromElsewhere } from '../shared/moving.tsx'
import { Heading } from '../shared/text.tsx'
import { Applied, Apply } from './apply.tsx'
import { Export } from './export.tsx'
import { type Declared, SourceFields, textId } from './source.tsx'
import { PlanShown } from './plan.tsx'
import './file.css'

/** A plan as somebody saw it. */
export interface Seen {
  of: Declared
  plan: DeclaredPlan
  /** The plan that somebody saw before, and that was not applied because this one came instead. */
  before?: DeclaredPlan
}

/** The view of those who may ask at all; the API decides who administers everything. */
export function DeclaredFile() {
  const { declared, file: words } = useWords()
  if (useMayDeclare()) return <Planning />
  return (
    <>
      <Heading>{declared}</Heading>
      <p className="lead">{words.ofInstallation}</p>
    </>
  )
}

/** A declared file: planned, looked at, applied as just that, and exported. */
function Planning() {
  const { declared, file: words } = useWords()
  const handed = useHandedFile('declared')
  const [source, setSource] = useState<Declared>({
    text: handed?.text ?? '',
    file: handed?.name ?? '',
    prune: false,
  })
  const [seen, setSeen] = useState<Seen>()
  const [applied, setApplied] = useState<string>()
  const plan = useMutation({
    mutationFn: (of: Declared) => answered(api.POST('/admin/v1/declared/plan', { body: of })),
  })
  const look = (of: Declared, before?: DeclaredPlan) => {
    setApplied(undefined)
    plan.mutate(of, {
      onSuccess: (found) => setSeen({ of, plan: found, ...(before && { before }) }),
      onError: () => setSeen(undefined),
    })
  }
  const lines = linesOf(plan.error, 'text')
  const isStale = seen !== undefined && !isSame(seen.of, source)
  return (
    <>
      <Heading>{declared}</Heading>
      <p className="lead">{words.lead}</p>
      <FromElsewhere />
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          look(source)
        }}
      >
        <SourceFields value={source} onChange={setSource} refused={lines} error={plan.error} />
        {plan.error && lines.length === 0 && !isOfName(plan.error) ? <Refused error={plan.error} /> : null}
        <div className="buttons">
          <p className="soft" role="status">
            {plan.isPending ? words.planning : applied === undefined && words.nothingYet}
          </p>
          <Button type="submit" loading={plan.isPending} disabled={source.text === ''}>
            {words.plan}
          </Button>
        </div>
      </form>
      {lines.length > 0 && (
        <RefusedLines id={textId} lines={lines} text={plan.variables?.text ?? ''} how={words.refusedHow} />
      )}
      {seen && (
        <section className="plan" aria-labelledby="would">
          <h2 id="would">{words.would}</h2>
          {isStale && <p className="notice warn">{words.stale}</p>}
          <PlanShown {...seen} />
          <Apply
            key={seen.plan.digest}
            seen={seen}
            isStale={isStale || plan.isPending}
            outdated={() => look(seen.of, seen.plan)}
            done={() => {
              setSeen(undefined)
              setApplied(seen.of.file)
            }}
          />
        </section>
      )}
      {applied !== undefined && <Applied file={applied} />}
      <Export />
    </>
  )
}

const isSame = (one: Declared, other: Declared) =>
  one.text === other.text && one.file === other.file && one.prune === other.prune

const isOfName = (error: unknown) => error instanceof Refusal && error.fields.file !== undefined
