import { formPage } from '../pages/form-page.tsx'
import { Button, type FormPageProps } from '../pages/form.tsx'
import { Layout, Name, type PageProps, renderPage } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import { pathOf, type GuideStep, steps } from './visit.ts'

interface OfOrganisation {
  organisation: string
}

/** The first page: nothing happens before the button, because scanners open links in mails. */
export function beginPage(props: FormPageProps & OfOrganisation & { until: string }): string {
  const { locale, organisation, until } = props
  const { connect: messages } = messagesFor(locale)
  return formPage({
    ...props,
    title: messages.title,
    heading: messages.heading(<Name>{organisation}</Name>),
    above: [
      <p class="lead">{messages.lead}</p>,
      <p>{messages.nothingCounts}</p>,
      <p>{messages.oneBrowser(until)}</p>,
    ],
    buttons: <Button>{messages.begin}</Button>,
  })
}

export type StepStates = Readonly<Record<GuideStep, 'done' | 'toDo' | 'optional'>>

/** All steps, each with whether it is done. */
export function guidePage(props: PageProps & OfOrganisation & { states: StepStates }): string {
  const { locale, organisation, states } = props
  const { connect: messages } = messagesFor(locale)
  return renderPage(
    <Layout {...props} title={messages.title}>
      <h1>{messages.heading(<Name>{organisation}</Name>)}</h1>
      <p class="lead">{messages.nothingCounts}</p>
      <ol class="places">
        {steps.map((step) => (
          <li>
            <a href={pathOf(step)}>{messages.steps[step]}</a>
            <span>{messages.texts[step]}</span>
            {step !== 'finish' && <span class={`step step-${states[step]}`}>{messages[states[step]]}</span>}
          </li>
        ))}
      </ol>
    </Layout>,
  )
}

export function handedInPage(props: PageProps): string {
  const { connect: messages } = messagesFor(props.locale)
  return renderPage(
    <Layout {...props} title={messages.doneTitle}>
      <h1>{messages.doneTitle}</h1>
      <p>{messages.doneText}</p>
      <p>{messages.donePlaces}</p>
    </Layout>,
  )
}
