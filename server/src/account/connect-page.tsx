import { formPage } from '../pages/form-page.tsx'
import { Button, Form, type FormPageProps } from '../pages/form.tsx'
import { Name } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import type { NamedUpstream } from '../sign-in/upstream-page.tsx'

/** The links of somebody, on the page of how they sign in. */
export interface ConnectPart {
  linked: readonly (NamedUpstream & { since: number })[]
  /** The only link is the only way in. */
  isOnlyWay: boolean
  offered: readonly NamedUpstream[]
}

export type ConnectRefusal = 'unproved' | 'notOffered' | 'lastWay'

export function Connections({
  linked,
  isOnlyWay,
  offered,
  zone,
  ...props
}: FormPageProps & ConnectPart & { zone: string }) {
  const { upstream: messages, accountSignIn } = messagesFor(props.locale)
  if (linked.length === 0 && offered.length === 0) return null
  const day = new Intl.DateTimeFormat(props.locale, { dateStyle: 'long', timeZone: zone })
  return (
    <>
      <h2>{messages.linksTitle}</h2>
      {linked.length > 0 && (
        <ul class="factors">
          {linked.map(({ uuid, name, since }) => (
            <li>
              <p>
                <Name>{name}</Name>
              </p>
              <p class="hint">{messages.linkedSince(day.format(since))}</p>
              {isOnlyWay ? (
                <p class="hint">{messages.lastWay}</p>
              ) : (
                <Form {...props} hidden={{ do: 'unlink', upstream: uuid }}>
                  <Button kind="quiet">{accountSignIn.removeNamed(<Name>{name}</Name>)}</Button>
                </Form>
              )}
            </li>
          ))}
        </ul>
      )}
      {offered.map(({ uuid, name }) => (
        <Form {...props} hidden={{ do: 'connect', upstream: uuid }}>
          <Button kind="secondary">{messages.connectWith(name)}</Button>
        </Form>
      ))}
    </>
  )
}

interface ConnectPageProps extends FormPageProps {
  own: { name: string; email: string }
  /** The person at the upstream, as it names them. */
  there: { upstream: string; subject: string; name: string | undefined; email: string | undefined }
  /** The person gets in when the organisation's upstream does not, and would cease to. */
  endsBreakGlass: boolean
  back: string
}

/** Both identities, and the button that connects them. */
export function connectPage(props: ConnectPageProps): string {
  const { locale, own, there, endsBreakGlass, back } = props
  const { upstream: messages } = messagesFor(locale)
  const upstream = <Name>{there.upstream}</Name>
  const known = [there.name, there.email].filter((one) => one !== undefined && one !== '').join(', ')
  return formPage({
    ...props,
    title: messages.linkTitle,
    above: [
      <p>{messages.connectHere(<Name>{`${own.name}, ${own.email}`}</Name>)}</p>,
      <p>{messages.linkAs(<Name>{there.subject}</Name>, upstream)}</p>,
      known !== '' && <p>{messages.connectKnown(<Name>{known}</Name>, upstream)}</p>,
      <p>{messages.connectText(upstream)}</p>,
      endsBreakGlass && <p>{messages.connectBreakGlass}</p>,
    ],
    buttons: <Button>{messages.link}</Button>,
    below: (
      <p class="note">
        <a href={back}>{messages.notNow}</a>
      </p>
    ),
  })
}
