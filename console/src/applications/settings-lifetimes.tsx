import { useWords } from '../messages/messages.tsx'
import { Field } from '../shared/form.tsx'
import type { Editing } from './settings-fields.tsx'

/** How long its tokens live, and of people how long they stay signed in. */
export function Lifetimes({ edit: { value: client, set }, wrong }: Editing) {
  const { fields, settings: words, proxied } = useWords()
  const { idleLife, absoluteLife } = client.type === 'proxied' ? proxied : fields
  const getsTokens = client.type !== 'proxied' || client.headers.includes('X-Access-Token')
  const all = getsTokens ? ([['access_token_lifetime', fields.tokenLife]] as const) : []
  const ofPeople = [
    ['refresh_idle_lifetime', idleLife],
    ['refresh_absolute_lifetime', absoluteLife],
  ] as const
  return (
    <section className="card">
      <h2>{words.lifetimes}</h2>
      <p className="lead">{fields.secondsHow}</p>
      <div className="lifetimes">
        {[...all, ...(client.type === 'machine' ? [] : ofPeople)].map(([name, label]) => (
          <Field
            key={name}
            label={label}
            inputMode="numeric"
            value={client[name] === null ? '' : String(client[name])}
            onChange={(typed) =>
              /^\d{0,9}$/.test(typed) && set({ [name]: typed === '' ? null : Number(typed) })
            }
            error={wrong(name)}
          />
        ))}
      </div>
    </section>
  )
}
