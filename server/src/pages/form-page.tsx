import type { Child } from 'hono/jsx'
import { Alert, Button, Form, type FormPageProps } from './form.tsx'
import { Layout, type LayoutProps, renderPage } from './layout.tsx'
import type { Locale } from './locale.ts'
import { messagesFor } from './messages/index.ts'

export interface FormPageParts extends FormPageProps, Pick<LayoutProps, 'title' | 'wide'> {
  /** The form sends a file. */
  file?: boolean | undefined
  /** Undefined: the title. */
  heading?: Child
  /** Something is wrong; where no field says what, the `Problem` stands above the form. */
  error?: unknown
  /** What stands between the heading and the form. */
  above?: Child
  fields?: Child
  /** The buttons in a row at its end. */
  buttons?: Child
  below?: Child
}

/** A page that asks one thing. */
export function formPage(parts: FormPageParts): string {
  const { title, heading = title, error, above, fields, buttons, below } = parts
  return renderPage(
    <Layout {...parts} error={Boolean(error)}>
      <h1>{heading}</h1>
      {above}
      <Form {...parts}>
        {fields}
        {buttons && <div class="actions">{buttons}</div>}
      </Form>
      {below}
    </Layout>,
  )
}

/** What is wrong, said and read first; nothing where nothing is. */
export function Problem({ children }: { children: Child }) {
  return children ? (
    <Alert id="problem" focus>
      {children}
    </Alert>
  ) : null
}

/** The ways out of a sign-in. */
export function LeaveButtons({ locale }: { locale: Locale }) {
  const { common } = messagesFor(locale)
  return (
    <>
      <Button kind="secondary" choice="switch">
        {common.useAnotherAccount}
      </Button>
      <Button kind="quiet" choice="cancel">
        {common.cancel}
      </Button>
    </>
  )
}
