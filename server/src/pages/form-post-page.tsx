import { redirectPlace } from '../protocol/redirect-uri.ts'
import { addressOf, asset } from './asset.ts'
import { Button } from './form.tsx'
import { Layout, Name, type PageProps, renderPage } from './layout.tsx'
import { messagesFor } from './messages/index.ts'

/** The script runs while the page loads, so the page leaves no entry in the history. */
export const formPostScript: string = asset('pages/form-post.js')

export const formPostScriptPath = addressOf('form-post', 'js', formPostScript)

export interface FormPostPageProps extends PageProps {
  redirectUri: string
  answer: Readonly<Record<string, string>>
}

/** The answer to a client as a form that posts itself (OAuth 2.0 Form Post Response Mode §2). */
export function formPostPage(props: FormPostPageProps): string {
  const { locale, redirectUri, answer } = props
  const { common, formPost: messages } = messagesFor(locale)
  const place = redirectPlace(redirectUri)
  return renderPage(
    <Layout {...props} title={messages.title(place)}>
      <h1>{messages.heading}</h1>
      <p>{messages.text(<Name>{place}</Name>)}</p>
      <form method="post" action={redirectUri}>
        {Object.entries(answer).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <div class="actions">
          <Button>{common.continue}</Button>
        </div>
      </form>
      <script src={formPostScriptPath} />
    </Layout>,
  )
}
