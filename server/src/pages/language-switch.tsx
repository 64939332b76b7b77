import type { Locale, Path } from './locale.ts'
import { languageNames, locales, messagesFor } from './messages/index.ts'

export const languagePath = '/language'

/** The languages, each by its own name; folded, without a script. */
export function LanguageSwitch({ locale, here }: { locale: Locale; here: Path }) {
  return (
    <details class="languages">
      <summary>
        <span class="unseen">{messagesFor(locale).common.language}: </span>
        {languageNames[locale]}
      </summary>
      <form method="post" action={languagePath}>
        <input type="hidden" name="to" value={here} />
        {locales.map((one) => (
          <button
            type="submit"
            class="language"
            name="locale"
            value={one}
            lang={one}
            aria-current={one === locale ? 'true' : undefined}
          >
            {languageNames[one]}
          </button>
        ))}
      </form>
    </details>
  )
}
