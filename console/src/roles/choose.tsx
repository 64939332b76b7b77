import { useState } from 'react'
import type { Permission } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Check } from '../shared/form.tsx'
import { TextInput } from '../shared/input.tsx'
import { byService } from '../shared/permissions.ts'
import { Name } from '../shared/text.tsx'
import { useAllPermissions } from './all.ts'

const all = 'iam.*'

const isGiven = (values: readonly string[], code: string) =>
  values.includes(code) || (code.startsWith('iam.') && values.includes(all))

/** All permissions as one list by service, which a search narrows; those of a role are ticked. */
export function Choose({
  values,
  onChange,
  error,
}: {
  values: readonly string[]
  onChange: (values: string[]) => void
  error?: string | undefined
}) {
  const { role, pick } = useWords()
  const [typed, setTyped] = useState('')
  const [isGivenAlone, setGivenAlone] = useState(false)
  const { data: known = [] } = useAllPermissions()
  const text = typed.trim().toLowerCase()
  const found = known.filter(
    ({ code, description }) =>
      `${code} ${description}`.toLowerCase().includes(text) && (!isGivenAlone || isGiven(values, code)),
  )
  const services = byService(found.map(({ code }) => code))
  const set = (code: string, is: boolean) =>
    onChange(is ? [...new Set([...values, code])].sort() : values.filter((one) => one !== code))
  return (
    <fieldset className="checks choose">
      <legend>{role.gives}</legend>
      <p className="soft">{role.givesHow}</p>
      <TextInput
        type="search"
        aria-label={role.searchPermissions}
        placeholder={pick.permission}
        value={typed}
        maxLength={200}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <p className="count" role="status">
        {role.count(values.length)}
      </p>
      <Check label={role.givenAlone} checked={isGivenAlone} onChange={setGivenAlone} />
      {error && <p className="wrong">{error}</p>}
      {services.map(([service, codes]) => (
        <Group
          key={service}
          service={service}
          permissions={found.filter(({ code }) => codes.includes(code))}
          open={text !== ''}
          {...{ values, set }}
        />
      ))}
      {services.length === 0 && known.length > 0 && <p className="soft">{pick.nothing}</p>}
    </fieldset>
  )
}

function Group({
  service,
  permissions,
  values,
  set,
  open,
}: {
  service: string
  permissions: readonly Permission[]
  values: readonly string[]
  set: (code: string, is: boolean) => void
  open: boolean
}) {
  const { role } = useWords()
  const own = values.filter((one) => one.startsWith(`${service}.`))
  const hasAll = service === 'iam' && values.includes(all)
  // What the role gives is seen, by a template too; of other services it is told that they are there.
  const [isOpen, setOpen] = useState<boolean>()
  const shown = open || (isOpen ?? own.length > 0)
  return (
    <details
      open={shown}
      onToggle={({ currentTarget }) => currentTarget.open !== shown && setOpen(currentTarget.open)}
    >
      <summary>
        <Name>{service}</Name> <span className="soft">{role.given(own.length)}</span>
      </summary>
      {shown && service === 'iam' && (
        <Check label={role.all} description={all} checked={hasAll} onChange={(is) => set(all, is)} />
      )}
      {shown &&
        permissions.map(({ code, description }) => (
          <Check
            key={code}
            label={<Name>{description || code}</Name>}
            description={<code translate="no">{code}</code>}
            checked={isGiven(values, code)}
            disabled={hasAll && !values.includes(code)}
            onChange={(is) => set(code, is)}
          />
        ))}
    </details>
  )
}
