/** Connecting an application: what it is, where it lives, what it may do, and what to put into it. */
import { Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useChange, useTried } from '../../api/change.ts'
import { answered, api } from '../../api/client.ts'
import { useWords } from '../../messages/messages.tsx'
import { Effect } from '../../shared/effect.tsx'
import { fieldsOf, Form } from '../../shared/form.tsx'
import { useMe } from '../../shared/me.ts'
import { Refused } from '../../shared/state.tsx'
import { useLabels } from '../fields.tsx'
import { Done } from './done.tsx'
import { begun, bodyOf, type Draft, isNamed, type NewClient, type Recipe, typeOf, urlOf } from './draft.ts'
import { Kinds } from './kinds.tsx'
import { May, Who } from './may.tsx'
import { type Problems, useProblems } from './problems.ts'
import { Title } from './title.tsx'
import { Where } from './where.tsx'
import './wizard.css'

export function Wizard() {
  const words = useWords()
  const { wizard } = words
  const [draft, setDraft] = useState<Draft>()
  const { data: recipes = [] } = useQuery({
    queryKey: ['recipes'],
    staleTime: Infinity,
    queryFn: async () => (await answered(api.GET('/admin/v1/recipes'))).items,
  })
  return (
    <div className="wizard">
      <nav className="crumbs" aria-label={words.applications}>
        <Link to="/applications">{words.applications}</Link>
      </nav>
      {draft === undefined ? (
        <>
          <Title number={1}>{wizard.what}</Title>
          <Kinds choose={(kind) => setDraft(begun(kind))} />
        </>
      ) : (
        <Steps key={draft.kind} begun={draft} recipes={recipes} back={() => setDraft(undefined)} />
      )}
    </div>
  )
}

interface Props {
  begun: Draft
  recipes: readonly Recipe[]
  back: () => void
}

/** Each step is tried out while one types: what is wrong stands at its field. */
function Steps({ begun, recipes, back }: Props) {
  const { wizard, documents, proxied } = useWords()
  const { reach } = useMe()
  const [draft, setDraft] = useState<Draft>({ ...begun, organisation: reach.organisation_uuid ?? undefined })
  const [step, setStep] = useState<'where' | 'may'>('where')
  const recipe = recipes.find(({ name }) => name === draft.recipe)
  const body = bodyOf(draft, recipe)
  const create = useChange((body: NewClient, { key }) =>
    api.POST('/admin/v1/clients', { params: { header: { 'Idempotency-Key': key } }, body }),
  )
  const [typed] = useDebouncedValue(body, 300)
  const isTyped = isNamed(draft) && typed.client_id !== ''
  const tried = useTried(
    ['new application', typed],
    isTyped && !create.data
      ? ({ query }) => api.POST('/admin/v1/clients', { params: { query }, body: typed })
      : undefined,
  )
  // How often somebody wanted to go on, and could not.
  const [stopped, setStopped] = useState(0)
  const fields = fieldsOf(create.error ?? tried.error)
  const problems = useProblems({ fields, draft, recipe, step, told: stopped > 0 })
  if (create.data && 'client_id' in create.data)
    return <Done client={create.data} recipe={recipe} recipes={recipes} url={urlOf(draft, recipe)} />
  const set = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }))
  const go = (to: typeof step) => {
    setStopped(0)
    setStep(to)
  }
  const isMachine = draft.kind === 'machine'
  const isProxied = typeOf(draft, recipe) === 'proxied'
  const isWrong = Object.keys(fields).length > 0
  const isTrying = tried.isFetching || JSON.stringify(typed) !== JSON.stringify(body)
  const canGoOn = !problems.blocks && (tried.isSuccess || isWrong)
  const asked = { draft, set, recipe, recipes, ...problems }
  return step === 'where' ? (
    <Step
      key="where"
      number={2}
      title={draft.kind === 'document' ? documents.where : wizard.where}
      stopped={stopped}
    >
      <Form
        sent={{ error: tried.error && !isWrong ? tried.error : null, isPending: false }}
        submit={() => (canGoOn ? go('may') : setStopped(stopped + 1))}
        label={wizard.next}
        disabled={isTrying}
        beside={<Back to={back} />}
      >
        <Where {...asked} />
        <Others of={problems.others} />
      </Form>
    </Step>
  ) : (
    <Step
      key="may"
      number={3}
      title={isMachine ? wizard.may : isProxied ? proxied.whoAndTold : wizard.whoAndMay}
      stopped={stopped}
    >
      <Form
        sent={{ error: isWrong ? null : create.error, isPending: create.isPending }}
        submit={() => (problems.lacksAllowed ? setStopped(stopped + 1) : create.mutate(body))}
        label={wizard.connect}
        disabled={isTrying || !tried.isSuccess}
        beside={<Back to={() => go('where')} />}
      >
        {!isMachine && <Who {...asked} />}
        <May {...asked} />
        <Others of={problems.others} />
        {tried.error && !isWrong ? <Refused error={tried.error} /> : null}
        {/* All that is new would be weaker than nothing. */}
        <Effect of={isProxied && tried.data ? { ...tried.data, weakens: [] } : tried.data} />
      </Form>
    </Step>
  )
}

/** What stands at no field of this step, by the names of the fields. */
function Others({ of: others }: { of: Problems['others'] }) {
  const labels: Readonly<Record<string, string>> = useLabels()
  return others.map(([field, detail]) => (
    <p key={field} className="wrong" role="alert">
      <strong>{labels[field.split('.')[0] ?? ''] ?? field}</strong>: {detail}
    </p>
  ))
}

/**
 * Its first field takes the focus, and a screen reader tells the title as that of the part around it. Who can't go on is
 * led to the first field that is wrong.
 */
function Step({
  number,
  title,
  stopped = 0,
  children,
}: {
  number: number
  title: string
  stopped?: number
  children: ReactNode
}) {
  const element = useRef<HTMLElement>(null)
  useEffect(() => {
    if (stopped > 0) return element.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
    window.scrollTo(0, 0)
    element.current?.querySelector<HTMLElement>(':is(input, select, textarea):enabled')?.focus()
  }, [stopped])
  return (
    <section ref={element} aria-label={title}>
      <Title number={number}>{title}</Title>
      {children}
    </section>
  )
}

function Back({ to }: { to: () => void }) {
  const { wizard } = useWords()
  return (
    <Button variant="default" onClick={to}>
      {wizard.back}
    </Button>
  )
}
