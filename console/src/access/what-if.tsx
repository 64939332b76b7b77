import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { overriding, useChange } from '../api/change.ts'
import { answered, api, proposed, withTag } from '../api/client.ts'
import type { components } from '../api/types.d.ts'
import { useWords } from '../messages/messages.tsx'
import { Effect } from '../shared/effect.tsx'
import { Check } from '../shared/form.tsx'
import { Empty, Refused, Waiting } from '../shared/state.tsx'
import { Heading } from '../shared/text.tsx'
import { AddToDraft } from './draft-add.tsx'
import { addressOf, allSent, draftIn, type Drafted, most, rolesIn, sentOf, textOf } from './drafted.ts'
import { DraftLine } from './draft-line.tsx'
import { Questions } from './questions.tsx'
import './access.css'

const route = getRouteApi('/access/what-if')
type Told = components['schemas']['WhatIf']

/** Changes that are only drafted, with what all of them would do, and then made one by one. The address is the draft. */
export function WhatIf() {
  const words = useWords()
  const { whatIf } = words
  const draft = draftIn(route.useSearch().draft)
  const navigate = route.useNavigate()
  const set = (next: readonly Drafted[]) =>
    void navigate({ search: next.length === 0 ? {} : { draft: addressOf(next) }, replace: true })
  const [override, setOverride] = useState(false)
  const making = useMaking(draft, override, set)
  const asked = useEffectOf(draft, override, !making.isPending)
  const failed = draft.some((one) => textOf(one) === making.failed?.text) ? making.failed : undefined
  const refused = failed === undefined ? asked.data?.refused : null
  const isFiles = refused?.problem.error === 'managed_by_file' || override
  return (
    <>
      <div className="top">
        <Heading title={words.access}>{words.access}</Heading>
      </div>
      <Questions permission={undefined} />
      <p className="soft">{whatIf.lead}</p>
      <div className="drafting">
        <section className="card" aria-label={whatIf.draft}>
          <h2>{whatIf.draft}</h2>
          <ol className="plain drafted">
            {making.done.map((one) => (
              <li key={`done ${textOf(one)}`}>
                <s>
                  <DraftLine of={one} />
                </s>{' '}
                <span className="soft">{whatIf.done}</span>
              </li>
            ))}
            {draft.map((one, index) => (
              <li key={textOf(one)}>
                <div className="line">
                  <DraftLine of={one} />
                  <button
                    type="button"
                    className="quiet"
                    disabled={making.isPending}
                    onClick={() => set(draft.filter((_, other) => other !== index))}
                  >
                    {whatIf.remove}
                  </button>
                </div>
                {refused?.index === index && (
                  <p className="notice bad" role="alert">
                    {whatIf.refused} {refused.problem.detail}
                  </p>
                )}
                {failed?.text === textOf(one) && <Refused error={failed.error} />}
              </li>
            ))}
          </ol>
          <AddToDraft add={(one) => set(withOne(draft, one))} full={draft.length >= most} />
        </section>
        <section className="card" aria-label={whatIf.effect} aria-live="polite">
          <h2>{whatIf.effect}</h2>
          {draft.length === 0 ? (
            <Empty title={whatIf.begin}>{whatIf.beginHow}</Empty>
          ) : (
            <>
              {isFiles && <Check label={whatIf.override} checked={override} onChange={setOverride} />}
              {refused && <p className="soft">{whatIf.until(refused.index)}</p>}
              <EffectOf asked={asked} />
              <div className="buttons">
                <Button
                  loading={making.isPending}
                  disabled={asked.data === undefined || asked.data.refused !== null}
                  onClick={() => void making.make()}
                >
                  {whatIf.doIt(draft.length)}
                </Button>
              </div>
            </>
          )}
        </section>
      </div>
    </>
  )
}

/** Nothing is drafted twice. */
const withOne = (draft: readonly Drafted[], one: Drafted): Drafted[] =>
  draft.some((other) => textOf(other) === textOf(one)) ? [...draft] : [...draft, one]

function EffectOf({ asked }: { asked: ReturnType<typeof useEffectOf> }) {
  if (asked.error) return <Refused error={asked.error} retry={() => void asked.refetch()} />
  return asked.data === undefined ? <Waiting rows={3} /> : <Effect of={asked.data} />
}

/** What all of them would do together. */
function useEffectOf(draft: readonly Drafted[], override: boolean, isAsked: boolean) {
  return useQuery({
    queryKey: ['try', 'what-if', draft.map(textOf), override],
    enabled: isAsked && draft.length > 0,
    retry: false,
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    queryFn: async (): Promise<Told> => {
      const roles = await Promise.all(
        rolesIn(draft).map(async (code) => {
          const path = { code }
          const { permissions } = await answered(api.GET('/admin/v1/roles/{code}', { params: { path } }))
          return [code, permissions] as const
        }),
      )
      const changes = allSent(draft, Object.fromEntries(roles))
      const headers = overriding(override ? 'any' : null)
      return await answered(api.POST('/admin/v1/access/what-if', { body: { changes }, headers }))
    },
  })
}

/** Makes them one after the other, until one is refused. What is done leaves the draft. */
function useMaking(draft: readonly Drafted[], override: boolean, set: (next: readonly Drafted[]) => void) {
  const [done, setDone] = useState<readonly Drafted[]>([])
  const [failed, setFailed] = useState<{ text: string; error: unknown }>()
  const [isPending, setPending] = useState(false)
  const change = useChange<Drafted, unknown>(async (one, { key }) => await made(one, key, override))
  const make = async () => {
    setFailed(undefined)
    setPending(true)
    let left = draft
    for (const one of draft) {
      try {
        await change.mutateAsync(one)
      } catch (error) {
        setFailed({ text: textOf(one), error })
        break
      }
      left = left.filter((other) => other !== one)
      set(left)
      setDone((before) => [...before, one])
    }
    setPending(false)
  }
  return { done, failed, isPending, make }
}

/** One of them, of the thing as it is now. */
async function made(one: Drafted, key: string, override: boolean) {
  const headers = overriding(override ? 'any' : null)
  const { method, path, body } = sentOf(one, [])
  if (method !== 'PATCH')
    return await proposed(method, path, {
      ...(body && { body }),
      headers: { ...headers, ...(method === 'POST' && { 'Idempotency-Key': key }) },
    })
  const { data, tag } = await withTag(proposed('GET', path, {}))
  const { permissions = [] } = data as { permissions?: string[] }
  const now = sentOf(one, permissions)
  return await proposed(method, path, { body: now.body, headers: { ...headers, 'If-Match': tag } })
}
