import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { api } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Opening } from '../shared/dialog.tsx'
import { Field, fieldsOf, Form } from '../shared/form.tsx'
import { useMe } from '../shared/me.ts'

export function TestMail() {
  const { mail: words } = useWords()
  return (
    <Opening label={words.test} title={words.testTitle}>
      {(close) => <TestForm close={close} />}
    </Opening>
  )
}

/** A test mail goes to oneself, if nobody else is typed. */
function TestForm({ close }: { close: () => void }) {
  const { mail: words } = useWords()
  const { actor } = useMe()
  const [recipient, setRecipient] = useState('email' in actor ? actor.email : '')
  const change = useChange(
    (to: string, { query }) =>
      api.POST('/admin/v1/mails/test', { params: { query }, body: { recipient: to } }),
    close,
  )
  return (
    <Form
      sent={change}
      submit={() => change.mutate(recipient)}
      label={words.test}
      disabled={recipient.trim() === ''}
    >
      <p className="lead">{words.testWhat}</p>
      <Field
        label={words.to}
        type="email"
        value={recipient}
        onChange={setRecipient}
        error={fieldsOf(change.error)['recipient']}
        data-autofocus
      />
    </Form>
  )
}
