import { Layout, type PageProps, renderPage } from '../pages/layout.tsx'
import type { DevelopmentMail } from './transport.ts'

export const developmentMailPath = '/development/mail'

/** The page is for developers, so its words are English alone. */
export function developmentMailsPage({
  mails,
  ...page
}: PageProps & { mails: readonly DevelopmentMail[] }): string {
  return renderPage(
    <Layout {...page} locale="en" title="Mails" wide>
      <h1>Mails</h1>
      <p>
        In development without a mail server no mail leaves this service: the last hundred are here, newest
        first, until it stops.
      </p>
      {mails.length === 0 && <p>There is none yet.</p>}
      <ul>
        {mails.map(({ id, subject, to, at }) => (
          <li>
            <a href={`${developmentMailPath}/${id}`}>{subject}</a>
            <br />
            <span class="hint">
              to {to.address}, {new Date(at).toISOString()}
            </span>
          </li>
        ))}
      </ul>
    </Layout>,
  )
}

/** One mail as text, whose link can be followed. */
export function developmentMailPage({ mail, ...page }: PageProps & { mail: DevelopmentMail }): string {
  const { id, subject, to, at, text } = mail
  return renderPage(
    <Layout {...page} locale="en" title={subject} wide>
      <h1>{subject}</h1>
      <p class="hint">
        to {to.address}, {new Date(at).toISOString()}
      </p>
      {text.split('\n\n').map((paragraph) => (
        <p>
          {paragraph.split('\n').map((line) => (
            <>
              {/^https?:\/\/\S+$/.test(line) ? <a href={line}>{line}</a> : line}
              <br />
            </>
          ))}
        </p>
      ))}
      <p>
        <a href={`${developmentMailPath}/${id}/html`}>As HTML</a> ·{' '}
        <a href={developmentMailPath}>All mails</a>
      </p>
    </Layout>,
  )
}
