import { type ComponentProps, type ReactNode, useId } from 'react'

/** The words around an input. */
interface Around {
  label?: ReactNode
  /** How to fill it. */
  description?: ReactNode
  /** The API's complaint about it. */
  error?: string | undefined
  /** The class of the whole, which holds all of them. */
  className?: string | undefined
}

interface Described {
  id?: string | undefined
  'aria-describedby'?: string | undefined
  'aria-invalid'?: ComponentProps<'input'>['aria-invalid'] | undefined
}

/** Names an input by its label, and lets a screen reader say its description and what is wrong with it. */
function Labelled({
  around: { label, description, error, className = '' },
  input,
  children,
}: {
  around: Around
  input: Described
  children: (named: Described & { className: string }) => ReactNode
}) {
  const own = useId()
  const id = input.id ?? own
  const said = [input['aria-describedby'], error && `${id}-error`, description && `${id}-description`]
  return (
    <div className={`labelled ${className}`}>
      {label && <label htmlFor={id}>{label}</label>}
      {description && (
        <p id={`${id}-description`} className="soft">
          {description}
        </p>
      )}
      {children({
        ...{ id, className: 'input', 'aria-invalid': error ? true : input['aria-invalid'] },
        'aria-describedby': said.filter(Boolean).join(' ') || undefined,
      })}
      {error && (
        <p id={`${id}-error`} className="wrong">
          {error}
        </p>
      )}
    </div>
  )
}

type Props<Tag extends 'input' | 'textarea' | 'select'> = Omit<ComponentProps<Tag>, 'className'> & Around

export type TextInputProps = Props<'input'> & {
  /** Stands before what is typed. */
  icon?: ReactNode
}

export const TextInput = ({ label, description, error, className, icon, ...input }: TextInputProps) => (
  <Labelled around={{ label, description, error, className }} input={input}>
    {(named) => (
      <>
        {icon}
        <input type="text" {...input} {...named} />
      </>
    )}
  </Labelled>
)

export const Textarea = ({ label, description, error, className, ...input }: Props<'textarea'>) => (
  <Labelled around={{ label, description, error, className }} input={input}>
    {(named) => <textarea {...input} {...named} />}
  </Labelled>
)

export const Select = ({
  label,
  description,
  error,
  className,
  data,
  ...input
}: Props<'select'> & { data: readonly { value: string; label: string }[] }) => (
  <Labelled around={{ label, description, error, className }} input={input}>
    {(named) => (
      <select {...input} {...named}>
        {data.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    )}
  </Labelled>
)
