import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Policy } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Edit } from '../shared/conflict.tsx'
import { Check, Choice, Field, type Wrong } from '../shared/form.tsx'

export type Editable = Omit<Policy, 'managed_by'>

interface Fields {
  /** The policy as read. */
  before: Editable
  edit: Edit<Editable>
  wrong: Wrong
}

/** The bounds of the API, which refuses what is beyond. */
const limits = { grace: 30, trust: 90, shortest: 8, longest: 64 }

export function PolicyFields(fields: Fields) {
  const { policies } = useWords()
  return (
    <>
      <Card title={policies.factors}>
        <SecondFactor {...fields} />
      </Card>
      <Card title={policies.passwords}>
        <Amount
          {...fields}
          name="password_length"
          description={policies.lengthHow(limits.shortest, limits.longest)}
        />
      </Card>
      <Card title={policies.providers}>
        <OneOf {...fields} name="sign_in" of={policies.signIn} description={policies.signInHow} />
        <p className="elsewhere">
          <Link to="/upstreams">{policies.signInLink}</Link>
        </p>
      </Card>
      <Card title={policies.accounts}>
        <Accounts {...fields} />
      </Card>
    </>
  )
}

function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="card" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  )
}

function SecondFactor(fields: Fields) {
  const { policies } = useWords()
  const { second_factor: chosen } = fields.edit.value
  return (
    <>
      <OneOf
        {...fields}
        name="second_factor"
        of={policies.secondFactor}
        unset={policies.unsetFactor}
        description={policies.factorHow[chosen ?? 'unset']}
      />
      <Amount {...fields} name="grace_days" description={policies.graceHow(limits.grace)} />
      <Amount {...fields} name="trusted_device_days" description={policies.trustHow(limits.trust)} />
    </>
  )
}

function Accounts({ before, edit, wrong }: Fields) {
  const { policies } = useWords()
  const { self_deletion: was } = before
  return (
    <>
      <OneOf
        {...{ before, edit, wrong }}
        name="email_change"
        of={policies.emailChange}
        description={policies.emailHow}
      />
      <Check
        label={policies.labels.self_deletion}
        description={policies.deletionHow}
        checked={edit.value.self_deletion === true}
        // Not set is as good as no: what was not set is left so.
        onChange={(checked) => edit.set({ self_deletion: checked || (was === true ? false : was) })}
        error={wrong('self_deletion')}
      />
    </>
  )
}

/** Empty: not set. */
function Amount({
  edit: { value, set },
  wrong,
  name,
  description,
}: Fields & { name: 'grace_days' | 'trusted_device_days' | 'password_length'; description: string }) {
  const { policies } = useWords()
  return (
    <Field
      type="number"
      label={policies.labels[name]}
      description={description}
      placeholder={policies.unset}
      value={String(value[name] ?? '')}
      onChange={(text) => set({ [name]: text === '' ? null : Number(text) })}
      error={wrong(name)}
    />
  )
}

function OneOf({
  edit: { value, set },
  wrong,
  name,
  of,
  unset,
  description,
}: Fields & {
  name: 'second_factor' | 'sign_in' | 'email_change'
  of: Readonly<Record<string, string>>
  unset?: string
  description: string
}) {
  const { policies } = useWords()
  return (
    <Choice
      label={policies.labels[name]}
      description={description}
      value={value[name] ?? ''}
      onChange={(chosen) => set({ [name]: chosen || null })}
      data={[
        { value: '', label: unset ?? policies.unset },
        ...Object.entries(of).map(([value, label]) => ({ value, label })),
      ]}
      error={wrong(name)}
    />
  )
}
