import { Problem } from '../pages/form-page.tsx'
import { Button, Form, type FormPageProps } from '../pages/form.tsx'
import { Layout, renderPage } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import { BackToAccount } from './parts.tsx'

export interface DataPageProps extends FormPageProps {
  /** The wait for the next download. */
  minutes: number | undefined
}

/** What is known of somebody. */
export function dataPage(props: DataPageProps): string {
  const { locale, minutes } = props
  const { data: messages } = messagesFor(locale).account
  return renderPage(
    <Layout {...props} title={messages.title} error={minutes !== undefined}>
      <BackToAccount locale={locale} />
      <h1>{messages.title}</h1>
      <Problem>{minutes !== undefined && messages.wait(minutes)}</Problem>
      <p>{messages.lead}</p>
      <Form {...props} hidden={{ do: 'download' }}>
        <Button>{messages.download}</Button>
      </Form>
    </Layout>,
  )
}
