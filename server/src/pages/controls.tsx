import { addressOf, asset } from './asset.ts'
import { TextField, type TextFieldProps } from './form.tsx'
import type { Locale } from './locale.ts'
import { messagesFor } from './messages/index.ts'

/** The script of the buttons below, which are hidden without it; a page that has it says so to `sendPage`. */
export const controlsScript: string = asset('pages/controls.js')
export const controlsScriptPath = addressOf('controls', 'js', controlsScript)

const Script = () => <script src={controlsScriptPath} defer />

/** A password, which a button beside the label shows. */
export function PasswordField({ locale, ...props }: Omit<TextFieldProps, 'type'> & { locale: Locale }) {
  const { showPassword, hidePassword } = messagesFor(locale).common
  const button = (
    <button
      type="button"
      class="beside"
      hidden
      data-reveals={props.id ?? props.name}
      data-show={showPassword}
      data-hide={hidePassword}
    >
      {showPassword}
    </button>
  )
  return (
    <>
      <TextField {...props} type="password" beside={button} />
      <Script />
    </>
  )
}

/** The number of a request, as short as it can be read out; support finds it by its beginning. */
export function RequestNumber({ locale, requestId }: { locale: Locale; requestId: string }) {
  const { request, copy, copied } = messagesFor(locale).common
  return (
    <p class="request">
      {request} <code title={requestId}>{requestId.slice(0, 8)}</code>
      <button type="button" class="beside" hidden data-copies={requestId} data-done={copied}>
        {copy}
      </button>
      <Script />
    </p>
  )
}
