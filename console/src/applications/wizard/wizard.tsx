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
import { fieldsOf, Form, wrongIn } from '../../shared/form.tsx'
import { useMe } from '../../shared/me.ts'
import { Refused } from '../../shared/state.tsx'
import { Done } from './done.tsx'
import { begun, bodyOf, type Draft, type NewClient, type Recipe } from './draft.ts'
import { Kinds } from './kinds.tsx'
import { May } from './may.tsx'
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
  const { wizard } = useWords()
  const { reach } = useMe()
  const [draft, setDraft] = useState<Draft>({ ...begun, organisation: reach.organisation_uuid ?? undefined })
  const [step, setStep] = useState<'where' | 'may'>('where')
  const recipe = recipes.find(({ name }) => name === draft.recipe)
  const body = bodyOf(draft, recipe)
  const create = useChange((body: NewClient, { key }) =>
    api.POST('/admin/v1/clients', { params: { header: { 'Idempotency-Key': key } }, body }),
  )
  const [typed] = useDebouncedValue(body, 300)
  const isNamed = typed.client_name !== ''
  const tried = useTried(
    ['new application', typed],
    isNamed && !create.data
      ? ({ query }) => api.POST('/admin/v1/clients', { params: { query }, body: typed })
      : undefined,
  )
  if (create.data && 'client_id' in create.data)
    return <Done client={create.data} recipe={recipe} url={draft.url} />
  const fields = fieldsOf(create.error ?? tried.error)
  const wrong = (name: string) => wrongIn(fields, name)
  const set = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }))
  const isWrong = Object.keys(fields).length > 0
  const asked = { draft, set, wrong, recipe, recipes }
  const first = ['client_name', 'client_id', 'redirect_uris']
  // Until its address is typed, what a recipe makes of it is wrong, and nobody wrote that.
  const isPlaced = recipe?.url === undefined || draft.url !== '' || draft.redirects !== undefined
  const canGoOn = isNamed && tried.isSuccess && !first.some(wrong)
  return step === 'where' ? (
    <Step key="where" number={2} title={wizard.where}>
      <Form
        sent={{ error: tried.error && !isWrong ? tried.error : null, isPending: false }}
        submit={() => setStep('may')}
        label={wizard.next}
        disabled={!canGoOn}
        beside={<Back to={back} />}
      >
        <Where {...asked} />
        {Object.entries(isNamed && isPlaced ? fields : {})
          .filter(([name]) => !first.some((one) => name.startsWith(one)))
          .map(([name, detail]) => (
            <p key={name} className="wrong">
              {detail}
            </p>
          ))}
      </Form>
    </Step>
  ) : (
    <Step key="may" number={3} title={wizard.may}>
      <Form
        sent={{ error: isWrong ? null : create.error, isPending: create.isPending }}
        submit={() => create.mutate(body)}
        label={wizard.connect}
        disabled={!tried.isSuccess}
        beside={<Back to={() => setStep('where')} />}
      >
        <May {...asked} />
        {tried.error && !isWrong ? <Refused error={tried.error} /> : null}
        <Effect of={tried.data} />
      </Form>
    </Step>
  )
}

/** Its first field takes the focus, and a screen reader tells the title as that of the part around it. */
function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  const element = useRef<HTMLElement>(null)
  useEffect(() => {
    window.scrollTo(0, 0)
    element.current?.querySelector<HTMLElement>(':is(input, select, textarea):enabled')?.focus()
  }, [])
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
