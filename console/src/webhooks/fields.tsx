import type { Webhook } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Field, type Wrong } from '../shared/form.tsx'
import { KindPicker } from '../shared/kind-picker.tsx'
import { Picked } from '../shared/picked.tsx'

export type Editable = Pick<Webhook, 'url' | 'description' | 'kinds'>

export const nameOf = ({ description, url }: Editable) => description || url

/** Where it leads, and what it is sent. */
export function WebhookFields({
  value,
  set,
  wrong,
}: {
  value: Editable
  set: (changes: Partial<Editable>) => void
  wrong: Wrong
}) {
  const { webhook: words } = useWords()
  return (
    <>
      <Field
        label={words.url}
        description={words.urlHow}
        type="url"
        inputMode="url"
        placeholder="https://hooks.example.com/tessera"
        value={value.url}
        onChange={(url) => set({ url })}
        error={wrong('url')}
        data-autofocus
      />
      <Field
        label={words.description}
        description={words.descriptionHow}
        maxLength={200}
        value={value.description}
        onChange={(description) => set({ description })}
        error={wrong('description')}
      />
      <Picked label={words.kinds} values={value.kinds} onChange={(kinds) => set({ kinds })}>
        {(add) => (
          <KindPicker
            patterns
            label={words.kinds}
            description={words.kindsHow}
            value={undefined}
            onChange={add}
            error={wrong('kinds', value.kinds)}
          />
        )}
      </Picked>
    </>
  )
}
