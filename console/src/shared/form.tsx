import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Refusal } from '../api/client.ts'
import { Select, Textarea, TextInput, type TextInputProps } from './input.tsx'
import { Refused } from './state.tsx'

export interface Labelled {
  label?: ReactNode
  /** Where a table or a sentence says it already. */
  'aria-label'?: string
  value: string
  onChange: (value: string) => void
  /** What is wrong with it, in the words of the API. */
  error?: string | undefined
  description?: ReactNode
}

export function Field({ onChange, ...more }: Labelled & Omit<TextInputProps, keyof Labelled>) {
  return (
    <TextInput
      className="field"
      maxLength={2000}
      {...more}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

/** A value a line. */
export function Lines({
  onChange,
  ...more
}: Labelled & { rows?: number; maxLength?: number; placeholder?: string; readOnly?: boolean }) {
  return (
    <Textarea
      className="field"
      rows={3}
      maxLength={20_000}
      {...more}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

export function Choice({
  onChange,
  ...more
}: Labelled & { data: readonly { value: string; label: string }[]; disabled?: boolean }) {
  return (
    <Select className="field" {...more} onChange={({ currentTarget }) => onChange(currentTarget.value)} />
  )
}

interface Sent {
  error: unknown
  isPending: boolean
}

/** A form with its refusal and its button. Texts about fields stand at them; see `fieldsOf`. */
export function Form({
  sent,
  submit,
  label,
  disabled,
  beside,
  children,
}: {
  sent: Sent
  submit: () => void
  label: string
  disabled?: boolean
  /** Other buttons. */
  beside?: ReactNode
  children: ReactNode
}) {
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      {children}
      {sent.error ? <Refused error={sent.error} /> : null}
      <div className="buttons">
        {beside}
        <Button type="submit" loading={sent.isPending} disabled={disabled ?? false}>
          {label}
        </Button>
      </div>
    </form>
  )
}

/** What the API said of each field. */
export const fieldsOf = (error: unknown): Readonly<Record<string, string>> =>
  error instanceof Refusal ? error.fields : {}

export function Check({
  label,
  description,
  checked,
  onChange,
  disabled,
  error,
}: {
  label: ReactNode
  description?: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
  disabled?: boolean
  error?: string | undefined
}) {
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <span>
        {label}
        {description && <small className="soft">{description}</small>}
        {error && <small className="wrong">{error}</small>}
      </span>
    </label>
  )
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

type MoreOfLines = Omit<Parameters<typeof Lines>[0], 'value' | 'onChange'>

/** A value that is typed as a text, which stays as it was typed as long as it means that value. */
export function TypedLines<T>({
  value,
  written,
  read,
  onChange,
  ...more
}: MoreOfLines & {
  value: T
  written: (value: T) => string
  read: (text: string) => T
  onChange: (value: T) => void
}) {
  const [typed, setTyped] = useState(written(value))
  const isTyped = JSON.stringify(read(typed)) === JSON.stringify(value)
  return (
    <Lines
      {...more}
      value={isTyped ? typed : written(value)}
      onChange={(text) => {
        setTyped(text)
        onChange(read(text))
      }}
    />
  )
}

/** Several values, a line each. */
export const List = ({
  values,
  ...more
}: MoreOfLines & { values: readonly string[]; onChange: (values: string[]) => void }) => (
  <TypedLines {...more} value={[...values]} written={(all) => all.join('\n')} read={linesOf} />
)

/** What is wrong with a field. Of several values it says which, a line each. */
export type Wrong = (name: string, values?: readonly string[] | null) => string | undefined

/** What the API said of a field and of the parts of it, such as `redirect_uris.0`. */
export const wrongIn =
  (fields: Readonly<Record<string, string>>): Wrong =>
  (name, values) => {
    const said = Object.entries(fields).flatMap(([field, detail]) => {
      if (field === name) return [detail]
      if (!field.startsWith(`${name}.`)) return []
      const value = values?.[Number(field.slice(name.length + 1))]
      return [value === undefined || values?.length === 1 ? detail : `${value}: ${detail}`]
    })
    return said.join('\n') || undefined
  }
