import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { api, Refusal } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Field } from '../shared/form.tsx'
import { useMay } from '../shared/me.ts'
import { Refused } from '../shared/state.tsx'
import type { Seen } from './file.tsx'

/** Applies just what was seen. Where that is another plan by now, it is asked for. */
export function Apply({
  seen: { of, plan },
  isStale,
  outdated,
  done,
}: {
  seen: Seen
  isStale: boolean
  outdated: () => void
  done: () => void
}) {
  const { file: words, change: shared, confirm } = useWords()
  const may = useMay()
  const [typed, setTyped] = useState('')
  const apply = useChange(
    (body: Seen['of'] & { digest: string }, { key }) =>
      api.POST('/admin/v1/declared/apply', { params: { header: { 'Idempotency-Key': key } }, body }),
    done,
  )
  const { changes, adopts = [], access } = plan
  if (changes.length + adopts.length === 0 || !may('iam.declared.update')) return null
  const takes = access.users.some(({ loses }) => loses.length > 0)
  const send = () =>
    apply.mutate({ ...of, digest: plan.digest }, { onError: (error) => isOtherPlan(error) && outdated() })
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      {takes && (
        <Field label={shared.typeName(of.file)} value={typed} onChange={setTyped} autoComplete="off" />
      )}
      {apply.error && !isOtherPlan(apply.error) ? <Refused error={apply.error} /> : null}
      <div className="buttons">
        {plan.sign_in_again && <p className="soft">{confirm.before}</p>}
        <Button
          type="submit"
          className={takes ? 'danger' : ''}
          loading={apply.isPending}
          disabled={isStale || (takes && typed.trim() !== of.file)}
        >
          {words.apply}
        </Button>
      </div>
    </form>
  )
}

const isOtherPlan = (error: unknown) => error instanceof Refusal && error.code === 'plan_outdated'

export function Applied({ file }: { file: string }) {
  const { file: words } = useWords()
  const may = useMay()
  return (
    <div className="notice good" role="status">
      <strong>{words.applied(file)}</strong>
      <p>{words.appliedHow}</p>
      {may('iam.audit.read') && (
        <p>
          <Link to="/audit" search={{ target: file }}>
            {words.record}
          </Link>
        </p>
      )}
    </div>
  )
}
