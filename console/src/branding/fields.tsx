import type { Branding } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Edit } from '../shared/conflict.tsx'
import { Field, type Wrong } from '../shared/form.tsx'
import { isColour } from './contrast.ts'

export type Editable = Omit<Branding, 'managed_by'>
export const fieldNames = [
  'name',
  'logo',
  'logo_dark',
  'accent_color',
  'help_uri',
  'policy_uri',
  'tos_uri',
] as const satisfies readonly (keyof Editable)[]

interface Fields {
  edit: Edit<Editable>
  wrong: Wrong
}

export function BrandingFields({ nameHow, ...fields }: Fields & { nameHow: string }) {
  const { looks } = useWords()
  return (
    <>
      <section className="card" aria-label={looks.shownAs}>
        <h2>{looks.shownAs}</h2>
        <Text {...fields} name="name" description={nameHow} />
        <Accent {...fields} />
        <Text {...fields} name="logo" description={looks.logoHow} />
        <Text {...fields} name="logo_dark" description={looks.logoDarkHow} />
      </section>
      <section className="card" aria-label={looks.links}>
        <h2>{looks.links}</h2>
        <Text {...fields} name="help_uri" description={looks.linkHow} />
        <Text {...fields} name="policy_uri" />
        <Text {...fields} name="tos_uri" />
      </section>
    </>
  )
}

/** Empty: not set. */
function Text({
  edit: { value, set },
  wrong,
  name,
  description,
}: Fields & { name: keyof Editable; description?: string }) {
  const { looks, policies } = useWords()
  return (
    <Field
      label={looks.labels[name]}
      description={description}
      placeholder={policies.unset}
      value={value[name] ?? ''}
      onChange={(text) => set({ [name]: text || null })}
      error={wrong(name)}
    />
  )
}

/** Typed, or picked beside. */
function Accent({ edit, wrong }: Fields) {
  const { looks } = useWords()
  const { accent_color: accent } = edit.value
  return (
    <div className="accent field">
      <Text {...{ edit, wrong }} name="accent_color" description={looks.accentHow} />
      <input
        type="color"
        aria-label={looks.pick}
        value={isColour(accent) ? accent.toLowerCase() : '#1f5f58'}
        onChange={({ currentTarget }) => edit.set({ accent_color: currentTarget.value })}
      />
    </div>
  )
}
