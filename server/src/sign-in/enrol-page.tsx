import { enrolmentCodePage, type EnrolmentCodePageProps } from '../pages/enrolment-code-page.tsx'
import { Enrolment, type EnrolmentProps } from '../pages/enrolment.tsx'
import { formPage, Problem } from '../pages/form-page.tsx'
import { Button, type FormPageProps } from '../pages/form.tsx'
import { Name } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import { AskButton, Passkeys } from '../pages/passkeys.tsx'

export interface EnrolPageProps extends FormPageProps {
  clientName: string
  /** An authenticator app to set up; undefined: it would not be enough. */
  enrolment: Omit<EnrolmentProps, 'locale'> | undefined
  /** The days of grace that are left; undefined: none. */
  graceDays: number | undefined
  /** The path of options for a new passkey or security key; undefined: there are none at this issuer. */
  keysFrom: string | undefined
  /** The one that was just made is none. */
  wrongKey?: boolean
}

/** A second factor is set up on the way, because it is demanded. */
export function enrolPage(props: EnrolPageProps): string {
  const { locale, clientName, enrolment, wrongKey = false } = props
  const { enrol: messages, enrolKey } = messagesFor(locale)
  return formPage({
    ...props,
    title: messages.title,
    heading: messages.heading,
    error: wrongKey || enrolment?.error,
    above: [
      <p class="lead">{messages.lead(<Name>{clientName}</Name>)}</p>,
      <Problem>{wrongKey && enrolKey.wrong}</Problem>,
    ],
    fields: enrolment && <Enrolment {...enrolment} locale={locale} />,
    buttons: [enrolment && <Button>{messages.submit}</Button>, <KeyOffer {...props} />, <Ways {...props} />],
    below: <LaterNote {...props} />,
  })
}

/** The page of an enrolment before the code from a mail was given. */
export const enrolCodePage = (props: EnrolmentCodePageProps & Pick<EnrolPageProps, 'graceDays'>): string =>
  enrolmentCodePage({ ...props, others: <Ways {...props} />, note: <LaterNote {...props} /> })

type Grace = Pick<EnrolPageProps, 'locale' | 'graceDays'>

/** The ways on without setting anything up. */
function Ways({ locale, graceDays }: Grace) {
  const { common, enrol: messages } = messagesFor(locale)
  return (
    <>
      {graceDays !== undefined && (
        <Button kind="secondary" choice="later">
          {messages.later}
        </Button>
      )}
      <Button kind="quiet" choice="decline">
        {messages.decline}
      </Button>
      <Button kind="quiet" choice="switch">
        {common.useAnotherAccount}
      </Button>
    </>
  )
}

function LaterNote({ locale, graceDays }: Grace) {
  const { enrol: messages } = messagesFor(locale)
  return graceDays === undefined ? null : <p class="note">{messages.laterNote(graceDays)}</p>
}

function KeyOffer({ locale, keysFrom, enrolment }: EnrolPageProps) {
  const { enrolKey: messages } = messagesFor(locale)
  return keysFrom === undefined ? null : (
    <Passkeys from={keysFrom} failed={messages.failed} taken={messages.taken} needs={messages.needs}>
      <AskButton purpose="passkey" kind={enrolment ? 'secondary' : 'primary'}>
        {messages.passkey}
      </AskButton>
      <AskButton purpose="security_key">{messages.securityKey}</AskButton>
    </Passkeys>
  )
}
