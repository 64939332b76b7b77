import type { Child } from 'hono/jsx'
import type { PageProps } from './locale.ts'

interface FormTarget {
  /** A path of ours, never anything a caller chose. */
  action: string
  csrf: string
  hidden?: Readonly<Record<string, string>> | undefined
}

/** What every page with a form is given. */
export interface FormPageProps extends PageProps, FormTarget {}

export interface FormProps extends FormTarget {
  /** The form sends a file. */
  file?: boolean | undefined
  children: Child
}

/** `novalidate`: our own answers are translated, tied to the field and the same in every browser. */
export function Form({ action, csrf, hidden, file, children }: FormProps) {
  return (
    <form method="post" action={action} enctype={file ? 'multipart/form-data' : undefined} novalidate>
      <input type="hidden" name="csrf" value={csrf} />
      {Object.entries(hidden ?? {}).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {children}
    </form>
  )
}

export interface TextFieldProps {
  name: string
  /** Needed where a page has several fields of the name. */
  id?: string | undefined
  label: string
  type: 'email' | 'password' | 'text'
  autocomplete: string
  inputmode?: 'email' | 'text' | 'numeric' | undefined
  value?: string | undefined
  hint?: string | undefined
  /** The words to show under the label. */
  error?: string | undefined
  /** Wrong, but explained elsewhere: the id of the alert. */
  errorId?: string | undefined
  autofocus?: boolean | undefined
  /** Typed before a passkey is made: the browser asks for it. */
  first?: boolean | undefined
  /** Shown beside the label, and reached after the field. */
  beside?: Child | undefined
}

export function TextField(props: TextFieldProps) {
  const { name, id = name, label, hint, error } = props
  const hintId = hint ? `${id}-hint` : undefined
  const errorId = error ? `${id}-error` : props.errorId
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint && (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      )}
      {error && <FieldError id={`${id}-error`}>{error}</FieldError>}
      <input
        id={id}
        name={name}
        type={props.type}
        value={props.value}
        autocomplete={props.autocomplete}
        inputmode={props.inputmode}
        autocapitalize="none"
        autocorrect="off"
        spellcheck={false}
        autofocus={props.autofocus}
        aria-required="true"
        required={props.first}
        aria-invalid={errorId ? 'true' : undefined}
        aria-describedby={[hintId, errorId].filter(Boolean).join(' ') || undefined}
      />
      {props.beside}
    </div>
  )
}

/** A box to tick, sent as `1`. */
export function Checkbox({ name, children }: { name: string; children: Child }) {
  return (
    <label class="check">
      <input type="checkbox" name={name} value="1" />
      <span>{children}</span>
    </label>
  )
}

export function FieldError({ id, children }: { id: string; children: Child }) {
  return (
    <p class="field-error" id={id} role="alert">
      <ErrorIcon />
      <span>{children}</span>
    </p>
  )
}

/** An error that no single field can mend. With `focus` it is read first; otherwise a field points at it. */
export function Alert({ id, focus, children }: { id: string; focus?: boolean | undefined; children: Child }) {
  return (
    <div class="alert" id={id} role="alert" tabindex={focus ? -1 : undefined} autofocus={focus}>
      <ErrorIcon />
      <p>{children}</p>
    </div>
  )
}

/** A form beside the colour, so that red is not the only sign. */
function ErrorIcon() {
  return (
    <svg class="error-icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false">
      <circle cx="10" cy="10" r="8.25" fill="none" stroke="currentColor" stroke-width="1.5" />
      <path d="M10 5.8v5" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" />
      <circle cx="10" cy="13.9" r="1.05" fill="currentColor" />
    </svg>
  )
}

export interface ButtonProps {
  kind?: 'primary' | 'secondary' | 'quiet' | undefined
  /** Sent as `choice`; the plain submit of a form has none. */
  choice?: string | undefined
  children: Child
}

export function Button({ kind = 'primary', choice, children }: ButtonProps) {
  return (
    <button
      type="submit"
      class={`button button-${kind}`}
      name={choice ? 'choice' : undefined}
      value={choice}
      formnovalidate={choice !== undefined}
    >
      {children}
    </button>
  )
}
